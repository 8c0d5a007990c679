import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../support/call.ts';
import type { RawReply } from './raw.ts';
import type { Scene, Side } from './scene.ts';

/** One thing that may be asked for, by whoever asks. */
export interface Thing {
  readonly ask: (scene: Scene, side: Side) => Request | Promise<Request>;
  /** Who is answered about it, and how. Everybody else is told what a thing that does not exist is told. */
  readonly seen?: Partial<Record<Side, string>>;
  /** What it is answered with instead, whoever asks. */
  readonly always?: string;
}

/** What an endpoint promises of who may see what. */
export interface Row {
  /** The reply about what is not there, or not the caller's: the same for all of them, to the byte. */
  readonly hidden?: string;
  readonly things: Readonly<Record<string, Thing>>;
  /** Reads the verdict where a status does not tell. */
  readonly verdict?: (reply: RawReply) => string;
  /** What is new in every reply, and says nothing. */
  readonly generated?: RegExp;
}

type Seen = NonNullable<Thing['seen']>;

/** Every side with the same verdict. */
export const everybody = (verdict: string): Seen => ({
  own: verdict,
  partner: verdict,
  sibling: verdict,
  elsewhere: verdict,
  unrelated: verdict,
});

/** Both sides of the partnership. */
export const bothSides: Seen = { own: '200', partner: '200' };

/** A thing that is named by one path parameter. */
export const at = (name: string, of: string | ((scene: Scene) => string | number)): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({ params: { [name]: typeof of === 'string' ? of : String(of(scene)) } }),
});

/** A thing that is named in the body. */
export const told = (of: (scene: Scene, side: Side) => object): Pick<Thing, 'ask'> => ({
  ask: (scene, side) => ({ body: of(scene, side) }),
});

/** The name that rows know a contract by. */
export const rowName = ({ host, name }: AnyContract): string => `${host}/${name}`;
