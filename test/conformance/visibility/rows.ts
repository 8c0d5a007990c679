import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../support/call.ts';
import type { RawReply } from './raw.ts';
import type { Scene, Side } from './scene.ts';

/** One entity that a caller can request. */
export interface Thing {
  readonly ask: (scene: Scene, side: Side) => Request | Promise<Request>;
  /** The sides that see it, with the expected reply. Every other side gets the reply for an absent entity. */
  readonly seen?: Partial<Record<Side, string>>;
  /** The reply for every side. */
  readonly always?: string;
}

/** The visibility that an endpoint promises. */
export interface Row {
  /** The reply for an absent or foreign entity, the same byte for byte. */
  readonly hidden?: string;
  readonly things: Readonly<Record<string, Thing>>;
  /** Reads the verdict from the body where the status is not enough. */
  readonly verdict?: (reply: RawReply) => string;
  /** Removes values that are new in every reply. */
  readonly generated?: RegExp;
}

type Seen = NonNullable<Thing['seen']>;

/** Expects the same verdict for every side. */
export const everySide = (verdict: string): Seen => ({
  own: verdict,
  partner: verdict,
  sibling: verdict,
  elsewhere: verdict,
  unrelated: verdict,
});

/** Both sides of the partnership. */
export const bothSides: Seen = { own: '200', partner: '200' };

/** An entity named by one path parameter. */
export const at = (name: string, of: string | ((scene: Scene) => string | number)): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({ params: { [name]: typeof of === 'string' ? of : String(of(scene)) } }),
});

/** An entity named in the body. */
export const withBody = (of: (scene: Scene, side: Side) => object): Pick<Thing, 'ask'> => ({
  ask: (scene, side) => ({ body: of(scene, side) }),
});

/** Returns the row name of a contract. */
export const rowName = ({ host, name }: AnyContract): string => `${host}/${name}`;
