/** What all kinds of campaign parts have in common. */

/**
 * A kind describes one sort of campaign part: how it is written, what it does, and how people and partners see it.
 * Schemas, wire codes, explanations, help and views are made from the kinds; registry.ts lists them.
 */
export interface Kind<Name extends string = string> {
  /** The word for the kind in campaign files. */
  readonly name: Name;
  /** The number for the kind on the wire (docs/gaps.md). Never reuse a number for another kind: partners store them. */
  readonly code: number;
  /** Parts of the kind as people write them. The help of campaign files shows them all. */
  readonly examples: readonly [Example, ...Example[]];
}

/** A part in a campaign file, without id and owner, and its note in the help. */
interface Example {
  readonly part: Readonly<Record<string, unknown>>;
  readonly note: string;
}

/** The types of campaigns. The type decides which actions and goals a campaign may have. */
export const campaignTypes = ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'] as const;
export type CampaignType = (typeof campaignTypes)[number];

/** A part of any kind. Its discriminating field names the kind, whose schema has parsed the part. */
export type AnyPart = Readonly<Record<string, unknown>>;
