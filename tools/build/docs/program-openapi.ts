import * as z from 'zod/mini';
import { programMs, timingMs, toSeconds } from '../../../shared/contracts/limits.ts';
import { type ProgramCall, ProgramReport, programCalls } from '../../../shared/programs/contract.ts';

/** The published contract of loyalty programs: docs/programs/openapi.yaml, made from shared/programs/contract.ts. */

type JsonObject = { readonly [name: string]: unknown };

const tolerance = toSeconds(timingMs.signatureAge);
const deadline = toSeconds(programMs.requestDeadline);

const description = `The calls that the Rewards Platform makes to a partner's own loyalty program. docs/programs/guide.md explains how to implement them, and \`npm run program:check\` checks a server.

Every call is a POST with a JSON body, signed by the scheme of Standard Webhooks 1.0.0 (https://www.standardwebhooks.com), for which most languages have a library. Every call can arrive more than once. A call without a reply within ${deadline} seconds has an unknown outcome for the platform: it asks with \`/transactions/query\` before it posts again.`;

const headers: Readonly<Record<string, string>> = {
  'webhook-id': 'A new UUID for every request.',
  'webhook-timestamp': `Unix seconds. Refuse requests that differ from your clock by more than ${tolerance} seconds.`,
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA-256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64 text after `whsec_`, decoded. There may be several, separated by blanks, while a secret is replaced: one of them has to be right.',
};

const uuid = '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11';
const member = 'SKY-77001';

/** A request and a reply of each call. */
export const samples: Readonly<Record<keyof typeof programCalls, readonly [request: JsonObject, reply: JsonObject]>> = {
  verifyMember: [
    { member_id: member, proof: '246802' },
    {
      result: 'verified',
      member: {
        member_id: member,
        first_name: 'Ada',
        last_name: 'Byron',
        email: 'ada@example.com',
        status_tier_id: 2,
        balance: 25_000,
      },
    },
  ],
  getBalance: [{ member_id: member }, { result: 'found', balance: 25_000 }],
  postTransaction: [
    {
      transaction_uuid: uuid,
      type: 'earn',
      member_id: member,
      points_change: 127,
      cashback_change_cents: 0,
      reversed_transaction_uuid: null,
      merchant_id: 1,
      campaign_id: 1,
      order_id: 'order-1795307680',
      purchase_amount_cents: 4_250,
      created_at: '2026-11-22T00:34:40.776Z',
    },
    { transaction_uuid: uuid, status: 'confirmed', reference: 'D-000042', balance: 25_127 },
  ],
  queryTransaction: [{ transaction_uuid: uuid }, { transaction_uuid: uuid, status: 'not_found' }],
  cancelTransaction: [{ transaction_uuid: uuid }, { transaction_uuid: uuid, status: 'cancelled' }],
};

const refusals: Readonly<Record<string, string>> = {
  400: 'The request is malformed.',
  401: 'The signature is missing, wrong or too old.',
  429: 'Too many requests. The platform respects `Retry-After`, as with 502, 503 and 504.',
  '5XX': 'The outcome is unknown. The platform asks before it repeats the call.',
};

const conflict = 'The transaction is known with another content.';

/** The OpenAPI document as an object. */
export function programOpenApi(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rewards Platform: loyalty programs',
      version: '1.0.0',
      summary: 'The contract that a partner implements to connect its own loyalty program.',
      description,
    },
    servers: [{ url: 'https://loyalty.partner.example/rewards', description: 'The partner’s server (placeholder)' }],
    paths: Object.fromEntries(
      Object.entries(programCalls).map(([name, call]) => [
        call.path,
        { post: operation(name, call, samples[name as keyof typeof samples]) },
      ]),
    ),
    webhooks: { report: { post: report() } },
    components: {
      parameters: {
        ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, header(name, text)])),
        'idempotency-key': header('idempotency-key', 'The `transaction_uuid` of the body.'),
      },
      schemas: { Error: errorSchema },
    },
  };
}

const header = (name: string, text: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description: text,
  schema: { type: 'string' },
});

const errorSchema: JsonObject = {
  type: 'object',
  description: 'For people: the platform reads the status only.',
  properties: { error: { type: 'string' }, message: { type: 'string' } },
};

/** JSON Schema, the dialect of OpenAPI 3.1, with the descriptions of the fields. */
function schemaOf(schema: z.ZodMiniType): JsonObject {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      // Removes rules that all messages share: unknown fields are ignored, and every integer is a safe integer.
      delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return { ...converted };
}

const parameter = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });
const signatureParameters = Object.keys(headers).map(parameter);

function operation(name: string, call: ProgramCall, [request, reply]: readonly [JsonObject, JsonObject]): JsonObject {
  const isPosting = name === 'postTransaction';
  return {
    operationId: name,
    summary: call.summary,
    description: call.description,
    parameters: [...signatureParameters, ...(isPosting ? [parameter('idempotency-key')] : [])],
    requestBody: { required: true, content: jsonContent(schemaOf(call.request), request) },
    responses: {
      200: { description: 'The answer.', content: jsonContent(schemaOf(call.reply), reply) },
      ...Object.fromEntries(
        Object.entries({ ...refusals, ...(isPosting && { 409: conflict }) }).map(([status, text]) => [
          status,
          { description: text, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        ]),
      ),
    },
  };
}

const jsonContent = (schema: JsonObject, example: JsonObject): JsonObject => ({
  'application/json': { schema, example },
});

/** The report: the only call from the program to the platform. */
function report(): JsonObject {
  return {
    operationId: 'report',
    summary: 'Tell the platform that something changed.',
    description:
      'POST to `{base_url}/programs/{partner_id}/reports` of the platform, signed in the same way with the same secret, and repeat it until the reply is 200. The platform then asks for the answer or the balance. A lost report only delays: the platform asks for accepted transactions by itself.',
    parameters: signatureParameters,
    requestBody: {
      required: true,
      content: jsonContent(schemaOf(ProgramReport), {
        type: 'transaction.answered',
        data: { transaction_uuid: uuid },
      }),
    },
    responses: {
      200: { description: 'Received.' },
      401: { description: 'The signature is missing, wrong or too old.' },
      404: { description: 'The transaction or the member is not known.' },
    },
  };
}

const lineWidth = 120;
const plain = /^[A-Za-z/][\w /.()-]*$/;
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

/** Writes a value as YAML: long texts as folded blocks, all other values on separate lines. */
function toYaml(value: unknown, depth = 0): string {
  const indent = '  '.repeat(depth);
  if (typeof value === 'string') return toYamlText(value, indent);
  if (typeof value !== 'object' || value === null) return ` ${JSON.stringify(value)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((item) => `\n${indent}-${nested(item, depth)}`).join('');
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return ' {}';
  return entries.map(([name, item]) => `\n${indent}${scalar(name)}:${toYaml(item, depth + 1)}`).join('');
}

/** An item of a list: an object begins on the line of its dash. */
function nested(item: unknown, depth: number): string {
  const text = toYaml(item, depth + 1);
  return text.startsWith('\n') ? ` ${text.trimStart()}` : text;
}

function toYamlText(value: string, indent: string): string {
  if (value.length < lineWidth - indent.length - 20 && !value.includes('\n')) return ` ${scalar(value)}`;
  // In a folded block an empty line is a line break, and a single line break is a blank.
  const paragraphs = value.split('\n\n').map((paragraph) => wrap(paragraph, lineWidth - indent.length));
  const lines = paragraphs.flatMap((paragraph, position) => (position === 0 ? paragraph : ['', '', ...paragraph]));
  return ` >-\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const scalar = (text: string): string =>
  plain.test(text) && !reserved.test(text) && !text.endsWith(' ') ? text : JSON.stringify(text);

/** The text of docs/programs/openapi.yaml. */
export const programOpenApiYaml = (): string =>
  `# Made from shared/programs/contract.ts by \`npm run docs\`.${toYaml(programOpenApi())}\n`;
