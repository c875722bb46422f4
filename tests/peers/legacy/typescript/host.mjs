// A host on the TypeScript SDK 1.x that somebody else drives: host.mjs SETTINGS
//
// SETTINGS is JSON: how to reach the server (`command`, `args` and `env`, `url`, or `sse`), the `capabilities` to declare and
// the `revision` to open with. Standard input and output carry a JSON message a line:
//
//   in   {id, method, params, progress}   a request to make     {cancel: id}   take it back
//        {answer: n, result | error}      the answer to a question
//   out  {ready: what initialize gave, session}
//        {id, result | error}             what came of a request
//        {ask: n, method, params}         a question of the server
//        {event: method, params}          a notification
//        {stray: text}                    what should not happen
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';

const { command, args, env, url, sse, capabilities, revision } = JSON.parse(process.argv[2]);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
// The SDK puts the code before the message of an error.
const failure = ({ code, message, data, name }) => ({
  code: code ?? name,
  message: message.replace(/^MCP error -?\d+: /, ''),
  data,
});

let transport;
if (command) transport = new StdioClientTransport({ command, args, env, stderr: 'inherit' });
else if (sse) transport = new SSEClientTransport(new URL(sse));
else transport = new StreamableHTTPClientTransport(new URL(url));

// The SDK offers its newest revision, and tells its transport what the server chose.
let version;
const setVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (chosen) => {
  version = chosen;
  setVersion?.(chosen);
};
const send = transport.send.bind(transport);
transport.send = (message, options) => {
  if (message.method === 'initialize' && revision) message.params.protocolVersion = revision;
  return send(message, options);
};

const client = new Client({ name: 'typescript-peer', version: '1.0.0' }, { capabilities });
client.onerror = (error) => say({ stray: String(error) });
client.fallbackNotificationHandler = async ({ method, params }) => say({ event: method, params });

const waiting = new Map();
let asked = 0;
const ask = ({ method, params }) => {
  asked += 1;
  say({ ask: asked, method, params });
  return new Promise((resolve, reject) => waiting.set(asked, { resolve, reject }));
};
if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, ask);
if (capabilities.sampling) client.setRequestHandler(CreateMessageRequestSchema, ask);
if (capabilities.roots) client.setRequestHandler(ListRootsRequestSchema, ask);

const methods = {
  ping: (_, options) => client.ping(options),
  'tools/list': (params, options) => client.listTools(params, options),
  'tools/call': (params, options) => client.callTool(params, undefined, options),
  'prompts/list': (params, options) => client.listPrompts(params, options),
  'prompts/get': (params, options) => client.getPrompt(params, options),
  'resources/list': (params, options) => client.listResources(params, options),
  'resources/templates/list': (params, options) => client.listResourceTemplates(params, options),
  'resources/read': (params, options) => client.readResource(params, options),
  'resources/subscribe': (params, options) => client.subscribeResource(params, options),
  'resources/unsubscribe': (params, options) => client.unsubscribeResource(params, options),
  'completion/complete': (params, options) => client.complete(params, options),
  'logging/setLevel': ({ level }, options) => client.setLoggingLevel(level, options),
  'notifications/roots/list_changed': () => client.sendRootsListChanged(),
  'session/end': () => transport.terminateSession(),
};

const running = new Map();
async function request({ id, method, params, progress }) {
  const abort = new AbortController();
  running.set(id, abort);
  const options = { signal: abort.signal, timeout: 30_000 };
  if (progress) options.onprogress = (report) => say({ event: 'notifications/progress', params: report });
  try {
    say({ id, result: (await methods[method](params, options)) ?? {} });
  } catch (error) {
    say({ id, error: failure(error) });
  }
  running.delete(id);
}

await client.connect(transport);
say({
  ready: {
    protocolVersion: version,
    capabilities: client.getServerCapabilities(),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  },
  session: transport.sessionId,
});
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method) request(message);
  else if (message.cancel) running.get(message.cancel)?.abort('no longer needed');
  else if (message.result) waiting.get(message.answer).resolve(message.result);
  else waiting.get(message.answer).reject(new McpError(message.error.code, message.error.message));
}
await client.close();
