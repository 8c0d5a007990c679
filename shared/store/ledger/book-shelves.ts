import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { maximumCharacters, maximumCount, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { type BatchWrite, defineEntity, Repository } from '../table/table-client.ts';

/**
 * Shelves: rows that a reconciliation keeps between its runs. All rows that it compares with each other are on one
 * shelf. Rows are compressed, and deleted after some days. A row is any JSON.
 */

/** Several rows, as compressed JSON. */
const Rows = z.object({ rows: z.instanceof(Uint8Array) });

const chunks = defineEntity(Rows, (reading: string, shelf: string, part: string, number: number) => ({
  pk: partition(reading, shelf),
  sk: `${part}#${number}`,
}));

const partition = (reading: string, shelf: string) => `${partitions.sequence}reconcile-daily#${reading}#${shelf}`;

/** One reading of the books, and those of its parts that are complete. Other parts are ignored: their run died. */
interface WrittenParts {
  readonly uuid: string;
  readonly parts: readonly string[];
}

export class BookShelves extends Repository {
  /**
   * Puts rows on shelves, as one part of a reading. The part counts as soon as the reading lists it. A shelf is one
   * partition of the table. When a partition receives more than 1,000 write units a second, DynamoDB refuses writes to
   * it, and also to its neighbours. So the items of one shelf are written one after another, with a pause after each.
   */
  async put(
    { uuid, part }: { readonly uuid: string; readonly part: string },
    shelves: ReadonlyMap<string, readonly object[]>,
    { now, pause }: { readonly now: Date; readonly pause: () => Promise<void> },
  ): Promise<void> {
    const ttl = toSeconds(now.getTime() + retentionMs.reconciledBooks);
    const texts = [...shelves].map(([shelf, rows]) => ({ shelf, texts: chunksOf(rows) }));
    const rounds = Math.max(0, ...texts.map((one) => one.texts.length));
    for (let number = 0; number < rounds; number += 1) {
      if (number > 0) await pause();
      const writes = texts.flatMap(({ shelf, texts: own }): BatchWrite[] => {
        const [json] = own.slice(number, number + 1);
        const key = chunks.key(uuid, shelf, part, number);
        return json === undefined
          ? []
          : [{ kind: 'put', item: chunks.item(key, { rows: gzipSync(json) }, { [ttlAttribute]: ttl }) }];
      });
      const together = maximumCount.reconciledWrites;
      for (let from = 0; from < writes.length; from += together) {
        await this.table.writeBatch(writes.slice(from, from + together));
      }
    }
  }

  /** Reads a shelf. */
  async read<Schema extends z.ZodMiniType>(
    { uuid, parts }: WrittenParts,
    shelf: string,
    schema: Schema,
  ): Promise<z.infer<Schema>[]> {
    const written = new Set(parts);
    const items = await this.table.query({ partition: partition(uuid, shelf) });
    const own = items.filter(({ sk }) => written.has(sk.slice(0, sk.lastIndexOf('#'))));
    return own.flatMap((item) => z.array(schema).parse(JSON.parse(gunzipSync(chunks.parse(item).rows).toString())));
  }
}

/** Rows as JSON arrays, each small enough for an item even if compression does not make it smaller. */
function chunksOf(rows: readonly object[]): string[] {
  const texts = rows.map((row) => JSON.stringify(row));
  const found: string[] = [];
  let [from, size] = [0, 0];
  for (const [position, text] of texts.entries()) {
    // Ids that merchants choose may be in any script, so a character may be several bytes.
    const length = Buffer.byteLength(text);
    if (position > from && size + length > maximumCharacters.reconciledRows) {
      found.push(`[${texts.slice(from, position).join()}]`);
      [from, size] = [position, 0];
    }
    size += length;
  }
  return texts.length === 0 ? found : [...found, `[${texts.slice(from).join()}]`];
}
