import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The records of a name: its addresses, or the name of which it is an alias. */
type NameRecords = readonly string[] | { readonly alias: string };

/** A name server on loopback. */
export interface NameServer {
  /** Its address and port. */
  readonly server: string;
  /** Sets the records that the next query finds. */
  set(name: string, records: NameRecords): void;
  close(): void;
}

const types = { a: 1, alias: 5, aaaa: 28 };
const nonExistent = 3;
/** The most aliases that are followed, because a name may be an alias of itself. */
const longestChain = 8;

const word = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const encodeName = (name: string) =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.of(0)]);

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly bytes: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // Resolvers may mix upper and lower case in a name, so the reply repeats the question as it came.
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), bytes: query.subarray(12, at + 5) };
}

function encodeRecord(name: string, type: number, data: Buffer): Buffer {
  const secondsToLive = Buffer.of(0, 0, 0, 60);
  return Buffer.concat([encodeName(name), word(type), word(1), secondsToLive, word(data.length), data]);
}

/** Answers like a recursive name server: with all aliases of the chain and the addresses at its end. */
export async function startNameServer(): Promise<NameServer> {
  const zone = new Map<string, NameRecords>();
  const answersTo = (question: string, type: number): Buffer[] => {
    const answers: Buffer[] = [];
    let name = question;
    for (let step = 0; step < longestChain; step += 1) {
      const records = zone.get(name) ?? [];
      if (!('alias' in records)) {
        const addresses = records.filter((address) => (isIPv6(address) ? types.aaaa : types.a) === type);
        return [
          ...answers,
          ...addresses.map((address) => encodeRecord(name, type, Buffer.from(ipaddr.parse(address).toByteArray()))),
        ];
      }
      answers.push(encodeRecord(name, types.alias, encodeName(records.alias)));
      name = records.alias;
    }
    return answers;
  };

  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, bytes } = readQuestion(query);
    const answers = answersTo(name, type);
    const flags = 0x8180 | (zone.has(name) ? 0 : nonExistent);
    const head = [query.subarray(0, 2), word(flags), word(1), word(answers.length), word(0), word(0)];
    socket.send(Buffer.concat([...head, bytes, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  return {
    server: `127.0.0.1:${socket.address().port}`,
    set: (name, records) => zone.set(name, records),
    close: () => socket.close(),
  };
}
