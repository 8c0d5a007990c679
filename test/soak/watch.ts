import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { partitions } from '../../shared/contracts/table.ts';
import type { StreamRecord } from '../../tools/local/lambda/shard-reader.ts';
import type { Scene } from './scene.ts';

/** Checks every change of the table, in the order in which they happened. */

type Fields = Readonly<Record<string, unknown>> & { readonly sk: string };

interface Images {
  readonly before: Fields | undefined;
  readonly after: Fields | undefined;
}

interface RawImages {
  readonly Keys: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
  readonly OldImage?: Record<string, AttributeValue>;
  readonly NewImage?: Record<string, AttributeValue>;
}

/** The states that may follow each state. The list is written from the design and not copied from the code. */
const following: Readonly<Record<string, readonly string[]>> = {
  INITIATED: ['PENDING', 'CANCELLED'],
  PENDING: ['COMPLETED', 'FAILED', 'ERROR', 'CANCELLED', 'HELD'],
  HELD: ['PENDING', 'FAILED'],
  ERROR: ['PENDING'],
  COMPLETED: ['REVERSED'],
};

export class Watch {
  readonly #scene: Scene;
  readonly #violated: (what: string) => void;
  /** The claims whose tokens are neither spent nor released. */
  readonly issued = new Set<string>();
  /** The transactions that their program has not answered. */
  readonly pending = new Set<string>();
  /** The transactions in ERROR. An operator has to resume them. */
  readonly suspended = new Set<string>();
  /** The rewards that an operator has to review. */
  readonly held = new Set<string>();
  /** The ids of the transactions that were in ERROR at any time. */
  readonly everSuspended = new Set<string>();
  /** Members and campaigns for which a restoration charged limits again. Such a charge may exceed a limit. */
  readonly #recharged = new Set<string>();

  constructor(scene: Scene, violated: (what: string) => void) {
    this.#scene = scene;
    this.#violated = violated;
  }

  see({ dynamodb }: StreamRecord): void {
    const { Keys, OldImage, NewImage } = dynamodb as StreamRecord['dynamodb'] & RawImages;
    const [pk, sk] = [Keys.pk.S, Keys.sk.S];
    const problemsOf = this.#checkFor(pk, sk);
    if (!problemsOf) return;
    const images = { before: OldImage && toFields(OldImage), after: NewImage && toFields(NewImage) };
    if (pk.startsWith(partitions.claim)) {
      if (images.after?.state === 'ISSUED') this.issued.add(pk);
      else this.issued.delete(pk);
    }
    if (sk === 'TRANSACTION' && images.after) this.#follow(pk, images.after);
    for (const problem of problemsOf(images)) this.#violated(`${pk} ${sk}: ${problem}`);
  }

  #follow(pk: string, { state, isRestoration, campaignId, userId }: Fields): void {
    const isIn = (set: Set<string>, states: readonly unknown[]) => {
      if (states.includes(state)) set.add(pk);
      else set.delete(pk);
    };
    isIn(this.pending, ['PENDING']);
    if (state === 'ERROR') this.everSuspended.add(pk.slice(partitions.transaction.length));
    isIn(this.suspended, ['ERROR']);
    isIn(this.held, ['HELD']);
    if (isRestoration) this.#recharged.add(`${campaignId} ${userId}`);
  }

  #checkFor(pk: string, sk: string): ((images: Images) => string[]) | undefined {
    if (pk.startsWith(partitions.ledger)) return appendOnly;
    if (pk.startsWith(partitions.claim)) return claimProblems;
    if (pk.startsWith(partitions.transaction)) return sk === 'TRANSACTION' ? stateProblems : undefined;
    return pk.startsWith(partitions.user) ? (images) => this.#memberProblems(images) : undefined;
  }

  #memberProblems({ before, after }: Images): string[] {
    if (!after) return [];
    if (after.sk.startsWith('PROGRAM#')) return this.#balanceProblems(before, after);
    return after.sk.startsWith('USAGE#') ? this.#usageProblems(after) : [];
  }

  /** Only the policy `unlimited` lets a balance fall below zero. */
  #balanceProblems(before: Fields | undefined, after: Fields): string[] {
    const mayOwe = this.#scene.campaigns.some(
      ({ partnerId, policy }) => partnerId === after.partnerId && policy === 'unlimited',
    );
    const gained = (name: string) => Number(after[name]) - Number(before?.[name] ?? 0);
    const isReturn =
      gained('availablePoints') > 0 &&
      gained('totalEarnedPoints') <= 0 &&
      (gained('heldPoints') < 0 || gained('totalRedeemedPoints') < 0);
    return [
      ...(Number(after.availablePoints) < 0 && !mayOwe ? [`${after.availablePoints} points are available`] : []),
      ...(Number(after.heldPoints) < 0 ? [`${after.heldPoints} points are held`] : []),
      ...(Number(after.owedPoints) < 0 ? [`${after.owedPoints} points are owed`] : []),
      ...(before && isReturn && Number(after.owedPoints) > 0
        ? [`points came back, and ${after.owedPoints} are still owed`]
        : []),
    ];
  }

  #usageProblems({ campaignId, limitId, userId, used, period }: Fields): string[] {
    const campaign = this.#scene.campaigns.find(({ id }) => id === campaignId);
    const limit = campaign?.limits.find((one) => one.limitId === limitId);
    if (!campaign || !limit) return [`limit ${limitId} of campaign ${campaignId} does not exist`];
    const name = `the limit of ${limit.most} ${limit.unit} of ${campaign.name} in ${period}`;
    return [
      ...(Number(used) > limit.most && !this.#recharged.has(`${campaignId} ${userId}`)
        ? [`${name} is exceeded: ${used}`]
        : []),
      ...(Number(used) < 0 ? [`${name} is below zero: ${used}`] : []),
    ];
  }
}

const toFields = (image: Record<string, AttributeValue>) => unmarshall(image) as Fields;

const appendOnly = ({ before }: Images): string[] => (before ? ['an entry of the ledger was changed'] : []);

/** A spent claim stays spent for ever. */
function claimProblems({ before, after }: Images): string[] {
  if (before?.state !== 'SPENT') return [];
  return after?.state === 'SPENT' && after.authenticationId === before.authenticationId
    ? []
    : ['a spent claim was changed'];
}

function stateProblems({ before, after }: Images): string[] {
  if (!after) return ['a transaction was deleted'];
  if (!before || before.state === after.state) return [];
  const isAllowed = following[String(before.state)]?.includes(String(after.state)) === true;
  return isAllowed ? [] : [`${before.state} became ${after.state}`];
}
