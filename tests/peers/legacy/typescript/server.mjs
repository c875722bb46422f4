// The server of ../server.py on the TypeScript SDK 1.x: [--http | --sse], else standard input and output.
import { randomUUID } from 'node:crypto';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  ListRootsResultSchema,
  RootsListChangedNotificationSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import { z } from 'zod';

const runs = new Map();
const ran = (what) => runs.set(what, (runs.get(what) ?? 0) + 1);
const say = (text) => ({ content: [{ type: 'text', text }] });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const LEVELS = ['debug', 'info', 'warning', 'error'];

const CONFIRM = {
  type: 'object',
  properties: { confirm: { type: 'boolean', description: 'Check to delete the note for good.' } },
  required: ['confirm'],
};
const REASON = {
  type: 'object',
  properties: {
    reason: {
      type: 'string',
      oneOf: ['damaged', 'wrong item', 'late'].map((reason) => ({ const: reason, title: `It is ${reason}` })),
    },
    parcels: { type: 'integer', minimum: 1, maximum: 9 },
    refund: { type: 'number', minimum: 0, default: 1.5 },
    restock: { type: 'boolean', default: false },
    note: { type: 'string', maxLength: 200 },
  },
  required: ['reason', 'parcels'],
};

function create() {
  const mcp = new McpServer(
    { name: 'legacy-peer', version: '1.0.0' },
    {
      instructions: 'Ask me anything.',
      capabilities: { logging: {}, resources: { subscribe: true }, completions: {} },
    },
  );
  const { server } = mcp;
  const subscribed = new Set();
  let level = 'debug';

  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    ({ level } = params);
    return {};
  });
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => ran('roots changed'));
  const log = async (extra, at, data) => {
    if (LEVELS.indexOf(at) >= LEVELS.indexOf(level)) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: at, data } });
    }
  };
  const report = async (extra, progress, total, message) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total, message };
      await extra.sendNotification({ method: 'notifications/progress', params });
    }
  };
  const elicit = (extra, message, requestedSchema, options) =>
    extra.sendRequest(
      { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } },
      ElicitResultSchema,
      options,
    );
  const tool = (name, description, inputSchema, run, more = {}) =>
    mcp.registerTool(name, { description, inputSchema, ...more }, run);

  // --- tools that ask ------------------------------------------------------------------------------------------------

  tool(
    'delete_note',
    'Deletes a note; all three outcomes reach the body.',
    { note_id: z.string() },
    async ({ note_id }, extra) => {
      const { action, content } = await elicit(extra, `Delete note ${note_id}?`, CONFIRM);
      ran('delete_note');
      const deleted = action === 'accept' && content.confirm;
      return say(deleted ? `Deleted note ${note_id}.` : `Kept note ${note_id}: ${action}.`);
    },
    { annotations: { title: 'Delete a note', destructiveHint: true } },
  );
  tool(
    'record_return',
    'Asks twice, the second question made from the first answer; has an output schema.',
    { order_id: z.string() },
    async ({ order_id }, extra) => {
      const first = await elicit(extra, `Why does order ${order_id} come back?`, REASON);
      if (first.action !== 'accept') throw new Error(`not recorded: ${first.action}`);
      const { reason, parcels } = first.content;
      const second = await elicit(extra, `Release ${parcels} parcels of ${order_id} (${reason})?`, CONFIRM);
      ran('record_return');
      const released = second.action === 'accept' && second.content.confirm;
      const structuredContent = { order_id, reason, parcels, released };
      return { ...say(JSON.stringify(structuredContent)), structuredContent };
    },
    {
      outputSchema: {
        order_id: z.string(),
        reason: z.string(),
        parcels: z.number().int(),
        released: z.boolean(),
      },
    },
  );
  tool('connect', 'Asks to open a page, and says when the user is done there.', {}, async (_, extra) => {
    const params = {
      mode: 'url',
      message: 'Connect your account on its own page.',
      url: 'https://pay.example/connect/7',
      elicitationId: 'flow-7',
    };
    const { action } = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    if (action !== 'accept') return say(`Not connected: ${action}.`);
    await extra.sendNotification({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: 'flow-7' },
    });
    return say('Connected.');
  });
  tool('connect_first', 'Refuses the first call: a page must be opened before.', {}, async () => {
    ran('connect_first');
    if (runs.get('connect_first') === 1) {
      throw new UrlElicitationRequiredError([
        {
          mode: 'url',
          message: 'Connect your account first.',
          url: 'https://pay.example/connect/8',
          elicitationId: 'flow-8',
        },
      ]);
    }
    return say('Connected before.');
  });
  tool(
    'slogan',
    "Asks the host's model and for its directories.",
    { product: z.string() },
    async ({ product }, extra) => {
      const content = { type: 'text', text: `A slogan for ${product}, please.` };
      const params = { messages: [{ role: 'user', content }], maxTokens: 50, systemPrompt: 'Be brief.' };
      // Both at once: a host may have more than one question before it.
      const [said, found] = await Promise.all([
        extra.sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema),
        extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema),
      ]);
      const roots = found.roots.map(({ uri }) => uri).join(' and ');
      return say(`${said.content.text} (${said.model}, for ${roots})`);
    },
  );
  tool(
    'count_roots',
    "Asks for the host's directories, over HTTP on the stream that belongs to no request.",
    {},
    async () => {
      const { roots } = await server.listRoots(undefined, { timeout: 10_000 });
      return say(`${roots.length} directories`);
    },
  );
  tool('ping_host', 'Pings the host.', {}, async (_, extra) => {
    await extra.sendRequest({ method: 'ping' }, EmptyResultSchema);
    return say('It is there.');
  });
  tool(
    'give_up_asking',
    'Asks, takes the question back after a moment, and goes on without the answer.',
    { note_id: z.string() },
    async ({ note_id }, extra) => {
      const signal = AbortSignal.timeout(200);
      await elicit(extra, `Delete note ${note_id}?`, CONFIRM, { signal }).catch(() => {});
      return say(`Kept note ${note_id}: nobody answered.`);
    },
  );

  // --- tools that report, fail, wait and change ----------------------------------------------------------------------

  tool(
    'count',
    'Reports each number as progress, and logs at two levels.',
    { to: z.number().int() },
    async ({ to }, extra) => {
      await log(extra, 'debug', 'not worth saying');
      await log(extra, 'warning', `counting to ${to}`);
      for (let number = 1; number <= to; number += 1) {
        await report(extra, number, to, `number ${number}`);
      }
      return say(`Counted to ${to}.`);
    },
  );
  tool('fail', 'Fails, and says why.', {}, async () => {
    throw new Error('no such shelf');
  });
  tool('sleep', 'Takes longer than anyone waits, and remembers that it was cancelled.', {}, async (_, extra) => {
    await report(extra, 1, undefined, 'sleeping');
    await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    ran('sleep, cancelled');
    return say('Slept.');
  });
  tool('reconnect', 'Closes the stream of its call, and says more afterwards.', {}, async (_, extra) => {
    extra.closeSSEStream?.();
    await pause(100);
    return say('Here again.');
  });
  tool(
    'change',
    'Says that a list, or the first note, has changed.',
    { what: z.enum(['tools', 'prompts', 'resources', 'note']) },
    async ({ what }) => {
      if (what === 'tools') await server.sendToolListChanged();
      else if (what === 'prompts') await server.sendPromptListChanged();
      else if (what === 'resources') await server.sendResourceListChanged();
      else if (subscribed.has('note://n-1')) await server.sendResourceUpdated({ uri: 'note://n-1' });
      return say('Changed.');
    },
  );
  tool(
    'body_runs',
    'How often the body of a tool ran in this process.',
    { tool: z.string() },
    async ({ tool: name }) => {
      const structuredContent = { result: runs.get(name) ?? 0 };
      return { ...say(JSON.stringify(structuredContent)), structuredContent };
    },
    { outputSchema: { result: z.number().int() } },
  );

  // --- prompts and resources -----------------------------------------------------------------------------------------

  const tones = (value, context) => {
    const chosen = context?.arguments?.text;
    const found = ['plain', 'playful', 'stern'].filter((tone) => tone.startsWith(value));
    return chosen ? [...found, chosen] : found;
  };
  mcp.registerPrompt(
    'review',
    {
      title: 'Review',
      description: 'Asks for a review.',
      argsSchema: { text: z.string(), tone: completable(z.string().optional(), tones) },
    },
    ({ text, tone = 'plain' }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Review this in a ${tone} tone: ${text}` } }],
    }),
  );
  const fixed = (name, uri, mimeType, contents) =>
    mcp.registerResource(name, uri, { mimeType }, async () => ({ contents: [{ uri, mimeType, ...contents }] }));
  fixed('Groceries', 'note://n-1', 'text/plain', { text: 'Milk, bread' });
  fixed('Logo', 'note://logo', 'image/png', { blob: Buffer.from('\x89PNG', 'latin1').toString('base64') });
  mcp.registerResource(
    'Title of a note',
    new ResourceTemplate('note://{note_id}/title', { complete: { note_id: () => ['n-1'] } }),
    { mimeType: 'text/plain' },
    async (uri, { note_id }) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Title of ${note_id}` }],
    }),
  );
  return mcp;
}

// --- serving ---------------------------------------------------------------------------------------------------------

// Every event of the process, so that a stream can be gone on with.
const events = [];
const eventStore = {
  async storeEvent(stream, message) {
    events.push({ stream, message });
    return String(events.length - 1);
  },
  async replayEventsAfter(lastEventId, { send }) {
    const last = Number(lastEventId);
    const { stream } = events[last];
    for (const [number, event] of events.entries()) {
      if (number > last && event.stream === stream && Object.keys(event.message).length > 0) {
        await send(String(number), event.message);
      }
    }
    return stream;
  },
};

function streamable(app) {
  const transports = new Map();
  app.all('/mcp', async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = transports.get(id);
    if (id && !transport) {
      response.status(404).json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } });
      return;
    }
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore,
        retryInterval: 50,
        onsessioninitialized: (session) => transports.set(session, transport),
        onsessionclosed: (session) => transports.delete(session),
      });
      await create().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
}

function sse(app) {
  const transports = new Map();
  app.get('/sse', async (_, response) => {
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    await create().connect(transport);
  });
  app.post('/messages', async (request, response) => {
    await transports.get(request.query.sessionId).handlePostMessage(request, response);
  });
}

const [over] = process.argv.slice(2);
if (over) {
  const app = express();
  if (over === '--http') streamable(app);
  else sse(app);
  const listener = app.listen(0, '127.0.0.1', () => console.log(listener.address().port));
} else {
  await create().connect(new StdioServerTransport());
}
