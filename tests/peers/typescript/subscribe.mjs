// A subscriber on the TypeScript SDK: subscribe.mjs URL
//
// Listens for changes of the list of tools, has the server make two, one after the other, and then shut down. Prints as
// JSON what it heard.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2]);
const client = new Client(
  { name: 'typescript-peer', version: '1.0.0' },
  { capabilities: {}, versionNegotiation: { mode: 'auto' } },
);
let heard;
let changes = 0;
client.setNotificationHandler('notifications/tools/list_changed', () => {
  changes += 1;
  heard();
});
await client.connect(new StreamableHTTPClientTransport(url));
const subscription = await client.listen({ toolsListChanged: true });
for (let change = 0; change < 2; change += 1) {
  const told = new Promise((resolve) => (heard = resolve));
  await client.callTool({ name: 'change', arguments: {} });
  await told;
}
await client.callTool({ name: 'shut_down', arguments: {} });
const end = await subscription.closed;
console.log(JSON.stringify({ honoured: subscription.honoredFilter, changes, end }));
await client.close();
