#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { RewardsApiError } from '../src/index.ts';
import { findListener, readEnvironment, UsageError } from './environment.ts';
import { eventNames, findEventName, signExample } from './events.ts';
import { type ReceivedDelivery, startListener } from './listen.ts';

/** The developer's command line: `npm run dev-cli -- listen` and `trigger`. */

const usage = `rewards listen [--forward-to URL]   receive the webhooks of an organisation on this machine
rewards trigger EVENT               send a signed example of an event to the listener, or to --to
rewards trigger all                 send an example of each event

  listen
  --forward-to URL   send each verified webhook on to your application; its answer goes back to the platform
  --event EVENT      only this event (default: all events)
  --port N           listen on this port (default: a free one)
  --public-url URL   the address of this port on the internet, for a platform that does not run on this machine

  trigger
  --to URL           send to this address instead of the listener
  --salt SALT        the salt that signs examples for --to
  --entity-id ID     the id in the example (default: one that exists nowhere)

  --platform FILE    the file of a running platform (default: .local/platform.json)
  --as NAME          the organisation: merchant or partner (default: merchant); REWARDS_API_KEY replaces its key
  --json             print one JSON object a line
  --help             print this help

EVENT is one of ${eventNames.join(', ')}.

Example: npm run dev-cli -- listen --forward-to http://127.0.0.1:3000/webhooks`;

type Options = ReturnType<typeof readArguments>['values'];

function readArguments(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'forward-to': { type: 'string' },
      event: { type: 'string' },
      port: { type: 'string' },
      'public-url': { type: 'string' },
      to: { type: 'string' },
      salt: { type: 'string' },
      'entity-id': { type: 'string' },
      platform: { type: 'string', default: '.local/platform.json' },
      as: { type: 'string', default: 'merchant' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args);
  const [command, event, ...rest] = positionals;
  if (values.help || command === undefined) return console.log(usage);
  if (rest.length > 0) throw new UsageError(`unknown argument ${rest[0]}`);
  if (command === 'listen' && event === undefined) return listen(values);
  if (command === 'trigger' && event !== undefined) return trigger(event, values);
  throw new UsageError(`unknown command ${positionals.join(' ')}: see --help`);
}

async function listen(options: Options): Promise<void> {
  const { json, platform, as } = options;
  const port = options.port === undefined ? undefined : Number(options.port);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new UsageError(`--port must be a port, not ${options.port}`);
  }
  const listener = await startListener({
    ...readEnvironment(platform, as),
    event: options.event === undefined ? undefined : eventOf(options.event),
    forwardTo: options['forward-to'],
    port,
    publicUrl: options['public-url'],
    onDelivery: (delivery) => console.log(json ? JSON.stringify(delivery) : toLine(delivery)),
  });
  const { url, salt } = listener;
  console.log(
    json ? JSON.stringify({ url, salt }) : `Listening at ${url}\nSalt of its webhooks: ${salt}\nCtrl-C ends.`,
  );
  const end = () => {
    listener.close().catch((error: Error) => {
      console.error(error.message);
      process.exitCode = 1;
    });
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

async function trigger(name: string, { platform, as, to, salt, 'entity-id': entityId, json }: Options): Promise<void> {
  const events = name === 'all' ? eventNames : [eventOf(name)];
  const target = to !== undefined && salt !== undefined ? { url: to, salt } : listenerOf(platform, as, to);
  for (const event of events) {
    const { body, headers } = signExample({ event, entityId, salt: target.salt });
    const { status } = await fetch(target.url, { method: 'POST', headers, body }).catch((cause: unknown) => {
      throw new UsageError(`nothing answers at ${target.url}: start a listener with listen in another shell`, {
        cause,
      });
    });
    console.log(json ? JSON.stringify({ event, status }) : `${event}: ${target.url} answered ${status}`);
    if (status >= 300) process.exitCode = 1;
  }
}

function listenerOf(platform: string, organisation: string, to: string | undefined) {
  const listener = findListener(readEnvironment(platform, organisation).listenerFile);
  if (!listener) {
    throw new UsageError('no listener runs: start one with listen in another shell, or give --to and --salt');
  }
  return { salt: listener.salt, url: to ?? listener.url };
}

function eventOf(name: string) {
  const event = findEventName(name);
  if (event === undefined) throw new UsageError(`there is no event ${name}: choose one of ${eventNames.join(', ')}`);
  return event;
}

function toLine({ at, event, entityId, eventId, status, problem }: ReceivedDelivery): string {
  const line = `${at.toISOString()}  ${event}  ${entityId}  (event ${eventId}) → ${status}`;
  return problem === undefined ? line : `${line}  ${problem}`;
}

main(process.argv.slice(2)).catch((error: Error) => {
  // A refusal of the platform or a mistake of the caller needs no stack trace.
  const isExpected = error instanceof UsageError || error instanceof RewardsApiError || 'code' in error;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
});
