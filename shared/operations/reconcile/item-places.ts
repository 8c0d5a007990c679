import * as z from 'zod/mini';
import { MergedUser } from '../../domain/member/member.ts';
import { keptUser } from '../../domain/reconciliation/invariants.ts';
import type { BookShelves } from '../../store/ledger/book-shelves.ts';
import type { BookReading } from '../../store/ledger/reconciliations.ts';
import { mergedMark } from '../../store/member/members.ts';
import type { Item } from '../../store/table/table-client.ts';
import { memberOf } from './book-builder.ts';

/**
 * Finds the shelf of each item, and the subject by which its mismatches are grouped. All items that are compared with
 * each other are on one shelf.
 */

/** The shelves that are not for the items of members. */
export const ownShelves = { merges: 'merges', suspects: 'suspects', counters: 'counters' } as const;

interface PlacesDeps {
  readonly shelves: Pick<BookShelves, 'read'>;
}

/** What is known before items are collected: the merges, and in later readings the members to read again. */
export interface Known {
  readonly reading: BookReading;
  readonly merges: ReadonlyMap<number, number>;
  /** Undefined in the first reading, which reads everything. */
  readonly suspects: ReadonlyMap<string, string> | undefined;
}

export async function readKnown(reading: BookReading, deps: PlacesDeps): Promise<Known> {
  const merges = await readMerges(reading, deps);
  return { reading, merges, suspects: await readSuspects(reading, merges, deps) };
}

/** @returns how many items were put on the shelves of members */
export function sortPage(items: readonly Item[], known: Known, shelves: Map<string, Item[]>): number {
  for (const item of items) if (item.sk === mergedMark && isReadable(item)) add(shelves, ownShelves.merges, item);
  const wanted = items
    .map((item) => ({ item, place: placeOf(item, known) }))
    .filter(({ place }) => known.suspects?.has(place.subject) ?? true);
  for (const { item, place } of wanted) add(shelves, place.shelf, item);
  return wanted.length;
}

function add(shelves: Map<string, Item[]>, shelf: string, item: Item): void {
  const items = shelves.get(shelf);
  if (items) items.push(item);
  else shelves.set(shelf, [item]);
}

/** Where an item is compared: its shelf, and the subject of its mismatches. */
interface Place {
  readonly shelf: string;
  /** The id of the member: after a merge, of the kept member. For an item without a member, the name of its shelf. */
  readonly subject: string;
}

/** All items of a member, and of the users who were merged into the member, have one place. */
export function placeOf(item: Item, { reading: { shelves }, merges }: Known): Place {
  const member = memberOf(item);
  if (member === null) return placeOfNobody((Number.parseInt(item.pk.slice(-8), 16) || 0) % shelves);
  const kept = keptUser(member, merges);
  return { shelf: String(kept % shelves), subject: String(kept) };
}

export const placeOfNobody = (shelf: number): Place => ({ shelf: String(shelf), subject: `shelf ${shelf}` });

/** The items of a member, and of the users who were merged into the member. */
export function itemsOfMember(member: number, items: readonly Item[], { merges }: Known): Item[] {
  const marks = items.filter(({ sk }) => sk === mergedMark).filter(isReadable);
  const all = new Map([...merges, ...marks.map((mark) => MergeRow.parse(mark)).map(mergeOf)]);
  const kept = keptUser(member, all);
  return items.filter((item) => keptUser(memberOf(item) ?? 0, all) === kept);
}

/** The merges that the previous reading found. A later merge makes its members suspects, and they are read again. */
async function readMerges({ previous }: BookReading, { shelves }: PlacesDeps): Promise<Map<number, number>> {
  const marks = previous ? await shelves.read(previous, ownShelves.merges, MergeRow) : [];
  return new Map(marks.map(mergeOf));
}
const MergeRow = z.pick(MergedUser, { userId: true, mergedInto: true });
const mergeOf = ({ userId, mergedInto }: z.infer<typeof MergeRow>) => [userId, mergedInto] as const;
/** Every later step reads the marks of merged users, so an unreadable mark would stop all these steps. */
const isReadable = (mark: Item) => z.safeParse(MergeRow, mark).success;

/** A subject with a mismatch, and a digest of its items. */
const Suspect = z.object({ subject: z.string(), print: z.string() });
export type Suspect = z.infer<typeof Suspect>;

/** The digests of the suspects of the previous reading, by subject; undefined in the first reading. */
async function readSuspects(
  { number, previous }: BookReading,
  merges: ReadonlyMap<number, number>,
  { shelves }: PlacesDeps,
): Promise<Map<string, string> | undefined> {
  if (number === 1 || !previous) return undefined;
  const rows = await shelves.read(previous, ownShelves.suspects, Suspect);
  // If a suspect was merged since, its digest differs from that of the kept member. So the kept member is read again.
  return new Map(
    rows.map(({ subject, print }) => [isMember(subject) ? subjectOf(Number(subject), merges) : subject, print]),
  );
}

export const subjectOf = (userId: number, merges: ReadonlyMap<number, number>) => String(keptUser(userId, merges));
export const isMember = (subject: string) => /^\d+$/.test(subject);
