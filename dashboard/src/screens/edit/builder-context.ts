import { createContext, useContext } from 'react';
import type { BuilderAction } from '../../builder/reducer.ts';
import type { BuilderState } from '../../builder/state.ts';
import type { CampaignFault, CampaignSettings } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import type { SentenceContext } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import type { CampaignView } from '../../api/types.ts';

/** Everything that the screens of the builder share. */
export interface Builder {
  readonly campaign: CampaignView;
  readonly state: BuilderState;
  readonly change: (action: BuilderAction) => void;
  /** All faults of the draft as it is on the screen. */
  readonly faults: readonly CampaignFault[];
  readonly settings: CampaignSettings;
  readonly sentences: SentenceContext;
  /** Why the value at a pointer cannot be changed; undefined when it can. */
  readonly lockOf: (pointer: string) => string | undefined;
  readonly timeZone: string;
}

const Context = createContext<Builder | null>(null);
export const BuilderProvider = Context.Provider;

/** The campaign that is being edited. */
export function useBuilder(): Builder {
  const builder = useContext(Context);
  if (!builder) throw new Error('useBuilder() needs a BuilderProvider around it');
  return builder;
}
