import { consumers } from '../../../functions/consumers.ts';
import type { Consumer } from '../../../shared/contracts/consumer.ts';

type Source = Consumer['source'];
type OfKind<Kind extends Source['kind']> = Omit<Consumer, 'source'> & {
  readonly source: Extract<Source, { kind: Kind }>;
};

/** The consumers with a source of one of these kinds. */
export function consumersBy<Kind extends Source['kind']>(...kinds: readonly Kind[]): OfKind<Kind>[] {
  const isOfKind = (consumer: Consumer): consumer is Consumer & OfKind<Kind> =>
    kinds.some((kind) => kind === consumer.source.kind);

  return consumers.filter(isOfKind);
}
