import { createContext, useContext } from 'react';
import type { CampaignBefore } from '../../../shared/domain/campaign/authoring/review.ts';
import type {
  CampaignFault,
  CampaignSettings,
  CampaignType,
  KnownTrigger,
} from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { Names } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import type { TriggerFile } from '../../../shared/domain/trigger/trigger-file.ts';
import type { Pointer } from './pointer.ts';
import type { BuilderAction } from './reducer.ts';
import type { BuilderState } from './state.ts';

/** An organisation of the partnership. */
interface Side {
  readonly id: number;
  readonly name: string;
}

/** The campaign that is built, as the server knows it. */
export interface BuiltCampaign {
  readonly id: number;
  /** The organisation of the person. */
  readonly organisationId: number;
  readonly merchant: Side;
  readonly partner: Side;
  /** The zone of the partnership, by its IANA name. */
  readonly timeZone: string;
  readonly settings: CampaignSettings;
  readonly before: CampaignBefore | null;
  readonly names: Names;
}

/** Makes an event of the partnership. It is among the settings of the campaign afterwards. */
export type MakeEvent = (file: TriggerFile) => Promise<KnownTrigger>;

/** What every field of the builder uses. */
export interface Builder {
  readonly campaign: BuiltCampaign;
  readonly state: BuilderState;
  readonly type: CampaignType;
  /** All faults of the draft, those of half-typed texts first. */
  readonly faults: readonly CampaignFault[];
  /** Whether faults are shown at fields that the person has not filled in yet. */
  readonly showsMissing: boolean;
  readonly change: (action: BuilderAction) => void;
  /** Why a value cannot be changed; undefined when it can. */
  readonly lockOf: (pointer: Pointer) => string | undefined;
  /** Absent for a person who may not make events. */
  readonly makeEvent: MakeEvent | undefined;
}

const BuilderContext = createContext<Builder | null>(null);
export const BuilderProvider = BuilderContext.Provider;

/** @throws Error outside of a builder */
export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (builder === null) throw new Error('There is no builder around this part');
  return builder;
}
