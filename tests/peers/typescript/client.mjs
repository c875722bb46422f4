// A host on the TypeScript SDK: client.mjs MODE URL TOOL ARGUMENTS [ANSWER]
//
// Lists the server's tools, calls one of them, gives the answer (an ElicitResult) to each question, and prints as JSON
// what came of it. Without an answer it declares no elicitation. The mode says which revisions it opens with: `auto`, or
// `legacy`, those with a handshake.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [mode, url, tool, args, answer] = process.argv.slice(2);
const asked = [];
const progress = [];
const client = new Client(
  { name: 'typescript-peer', version: '1.0.0' },
  { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
);
if (answer) {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return JSON.parse(answer);
  });
}
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const version = client.getNegotiatedProtocolVersion();
const { tools } = await client.listTools();
const call = client.callTool(
  { name: tool, arguments: JSON.parse(args) },
  { onprogress: (report) => progress.push(report) },
);
const outcome = await call.then(
  (result) => ({ result }),
  ({ code, message, data }) => ({ error: { code, message, data } }),
);
console.log(JSON.stringify({ version, tools, asked, progress, ...outcome }));
await client.close();
