import type { RegisteredAttribute } from '../../registry/registry.ts';
import { amountFieldsOf } from '../authoring/flow-faults.ts';
import { contextAttributes } from '../authoring/registry-faults.ts';
import type { FlowTrigger } from '../document/facts.ts';
import { countries, countryLabel } from '../document/kinds/conditions/geography.ts';
import type { ChoiceSource } from '../document/kinds/form.ts';
import type { AnyPart, CampaignSettings } from '../document/kinds/kind.ts';
import type { Names } from '../words/flow-sentence.ts';

/** One value that a person may choose. */
export interface Choice {
  readonly value: string | number;
  readonly label: string;
}

/** The choices of a field. */
export interface Choices {
  readonly choices: readonly Choice[];
  /** Whether other values may be typed. */
  readonly isOpen: boolean;
}

/** The part, and the data that its choices come from. */
export interface ChoiceContext {
  readonly part: AnyPart;
  readonly trigger: FlowTrigger | undefined;
  readonly settings: CampaignSettings;
  readonly names: Names;
}

const closed = (choices: readonly Choice[]): Choices => ({ choices, isOpen: false });
const asWritten = (value: string): Choice => ({ value, label: value });

/** The choices from a source, for one field of one part. */
export const choicesFrom: Readonly<Record<ChoiceSource, (context: ChoiceContext) => Choices>> = {
  places: () => ({ choices: countries().map((value) => ({ value, label: countryLabel(value) })), isOpen: true }),
  tiers: ({ settings }) => closed(settings.tiers.map(({ id, name }) => ({ value: id, label: name }))),
  attributes: (context) => closed([...new Set(attributesOf(context).map(({ name }) => name))].map(asWritten)),
  attributeValues,
  shopWords: () => ({ choices: [], isOpen: true }),
  programs: ({ settings, names }) =>
    closed(
      [...settings.programs].map((id) => ({ value: id, label: names.organisation?.(id) ?? `organisation ${id}` })),
    ),
  triggers: ({ settings }) =>
    closed(
      settings.triggers
        .filter(({ event, isActive }) => event === 'CUSTOM' && isActive)
        .map(({ customTriggerId, name }) => ({ value: customTriggerId, label: name })),
    ),
  amountFields,
};

const attributesOf = ({ trigger, settings }: ChoiceContext): RegisteredAttribute[] => [
  ...settings.attributes,
  ...(trigger ? contextAttributes({ trigger }, settings) : []),
];

function amountFields({ part, settings }: ChoiceContext): Choices {
  const found = settings.triggers.find(({ customTriggerId }) => customTriggerId === part.customTriggerId);
  return closed(found ? amountFieldsOf(found).map(asWritten) : []);
}

function attributeValues(context: ChoiceContext): Choices {
  const definitions = attributesOf(context).filter(({ name }) => name === context.part.name);
  const values = definitions.flatMap(
    ({ type, values: listed }) => listed ?? (type === 'boolean' ? ['true', 'false'] : []),
  );
  const isOpen = definitions.some((one) => one.values === null && one.type !== 'boolean');
  return { choices: [...new Set(values)].map(asWritten), isOpen };
}
