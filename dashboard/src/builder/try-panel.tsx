import { useState } from 'react';
import type { QuantityName } from '../../../shared/domain/campaign/document/kinds/form.ts';
import type { CampaignType } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { capitalised, textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { readQuantity } from '../../../shared/domain/campaign/forms/quantities.ts';
import { triggerWords } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './builder.module.css';
import type { BuiltCampaign } from './context.ts';
import { DateTimeField } from './date-time-field.tsx';
import { sentenceContextOf } from './sentence-context.ts';
import { type TryNeeds, tryNeedsOf } from './try-inputs.ts';
import { type Tried, type TriedFlow, type TryContext, type TryInput, tryFile } from './try-it.ts';

/** What the person typed. */
interface Typed {
  readonly event: number;
  readonly amount: string;
  readonly points: string;
  readonly tier: string;
  readonly place: string;
  readonly total: string;
  readonly days: string;
  readonly item: string;
  readonly at: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

const nothing: Typed = {
  event: 0,
  amount: '42.50',
  points: '1,000',
  tier: '',
  place: '',
  total: '0',
  days: '30',
  item: '',
  at: null,
  attributes: {},
};

export interface TryPanelProps {
  readonly document: Json;
  readonly campaign: BuiltCampaign;
  readonly type: CampaignType;
}

/** Tries a document: what each flow would give, and why. Nothing is sent. */
export function TryPanel({ document, campaign, type }: TryPanelProps) {
  const [typed, setTyped] = useState(nothing);
  const needs = tryNeedsOf(document);
  const change = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed });
  if (needs.triggers.length === 0) return null;
  const tried = tryFile(document, inputOf(typed, needs), contextOf(campaign, type));
  return (
    <section className={styles.try} aria-label="Try it">
      <h2>Try it</h2>
      <TryFields {...{ needs, typed, change, campaign, type }} />
      <div aria-live="polite" className={styles.group}>
        <TryResult tried={tried} />
      </div>
    </section>
  );
}

function contextOf(campaign: BuiltCampaign, type: CampaignType): TryContext {
  const { organisationId, settings, before, timeZone } = campaign;
  return { ...sentenceContextOf(campaign, type), organisationId, settings, before, timeZone, now: new Date() };
}

const centsOf = (text: string): number => {
  const read = readQuantity(text, 'money');
  return 'value' in read ? read.value : 0;
};
const countOf = (text: string): number => {
  const read = readQuantity(text, 'count');
  return 'value' in read ? read.value : 0;
};
/** What is wrong with a typed number. It counts as zero meanwhile. */
function unreadable(text: string, quantity: QuantityName): string | undefined {
  const read = readQuantity(text, quantity);
  return 'fault' in read ? `It ${read.fault}.` : undefined;
}
const dayMs = 24 * 60 * 60 * 1_000;

function inputOf(typed: Typed, { triggers, isTransfer, amountFields, hasItems }: TryNeeds): TryInput {
  const trigger = triggers[typed.event] ?? triggers[0] ?? { type: 'SPEND' };
  const cents = centsOf(typed.amount);
  const at = typed.at ?? new Date().toISOString();
  const isPurchase = trigger.type === 'SPEND' && !isTransfer;
  return {
    trigger,
    amountCents: isPurchase ? cents : null,
    transferPoints: isTransfer ? countOf(typed.points) : null,
    numbers: Object.fromEntries(amountFields.map((name) => [name, cents / 100])),
    tierId: typed.tier === '' ? null : Number(typed.tier),
    place: typed.place,
    attributes: Object.fromEntries(Object.entries(typed.attributes).filter(([, value]) => value !== '')),
    at,
    connectedAt: new Date(Date.parse(at) - countOf(typed.days) * dayMs).toISOString(),
    totalSpendCents: centsOf(typed.total) + (isPurchase ? cents : 0),
    items: hasItems && typed.item !== '' ? [itemOf(typed.item, cents)] : undefined,
  };
}

/** An item that is called the same in every respect. */
const itemOf = (word: string, amountCents: number) => ({ productId: word, category: word, tags: [word], amountCents });

interface FieldsProps extends Omit<TryPanelProps, 'document'> {
  readonly needs: TryNeeds;
  readonly typed: Typed;
  readonly change: (changed: Partial<Typed>) => void;
}

function TryFields({ needs, typed, change, campaign, type }: FieldsProps) {
  const context = sentenceContextOf(campaign, type);
  const events = needs.triggers.map((trigger, position) => ({
    value: String(position),
    label: textOf(capitalised(triggerWords(trigger, '', context))),
  }));
  const trigger = needs.triggers[typed.event] ?? needs.triggers[0];
  const hasAmount = trigger?.type === 'SPEND' || needs.amountFields.length > 0;
  return (
    <>
      {events.length > 1 && (
        <Select
          label="Event"
          choices={events}
          value={String(typed.event)}
          onChange={(event) => change({ event: Number(event) })}
        />
      )}
      {needs.isTransfer && (
        <TextField
          label="Points to move"
          inputMode="numeric"
          fault={unreadable(typed.points, 'points')}
          value={typed.points}
          onChange={(points) => change({ points })}
        />
      )}
      {hasAmount && !needs.isTransfer && (
        <TextField
          label="Amount"
          before="$"
          inputMode="decimal"
          fault={unreadable(typed.amount, 'money')}
          value={typed.amount}
          onChange={(amount) => change({ amount })}
        />
      )}
      {needs.hasTier && (
        <Select
          label="Status tier"
          choices={[
            { value: '', label: 'None' },
            ...campaign.settings.tiers.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={typed.tier}
          onChange={(tier) => change({ tier })}
        />
      )}
      {needs.hasPlace && (
        <TextField
          label="Place"
          help="A country such as US, or Austin, TX"
          value={typed.place}
          onChange={(place) => change({ place })}
        />
      )}
      {needs.hasTotal && (
        <TextField
          label="Spent before"
          before="$"
          inputMode="decimal"
          fault={unreadable(typed.total, 'money')}
          value={typed.total}
          onChange={(total) => change({ total })}
        />
      )}
      {needs.hasTime && (
        <TextField
          label="Connected for"
          after="days"
          inputMode="numeric"
          fault={unreadable(typed.days, 'days')}
          value={typed.days}
          onChange={(days) => change({ days })}
        />
      )}
      {needs.hasItems && (
        <TextField label="Item in the basket" value={typed.item} onChange={(item) => change({ item })} />
      )}
      {needs.attributes.map((name) => (
        <TextField
          key={name}
          label={name}
          value={typed.attributes[name] ?? ''}
          onChange={(value) => change({ attributes: { ...typed.attributes, [name]: value } })}
        />
      ))}
      <DateTimeField
        label="Time"
        value={typed.at ?? new Date().toISOString()}
        timeZone={campaign.timeZone}
        onChange={(at) => change({ at })}
      />
    </>
  );
}

function TryResult({ tried }: { readonly tried: Tried }) {
  switch (tried.kind) {
    case 'faulty':
      return <p className={styles.quiet}>Fill in the flows, and here is what they give.</p>;
    case 'refused':
      return <p className={styles.quiet}>{`Nothing: ${tried.reason}.`}</p>;
    case 'tried':
      return tried.flows.map((flow, position) => (
        <FlowResult key={flow.pointer} flow={flow} title={tried.flows.length > 1 ? `Flow ${position + 1}` : null} />
      ));
  }
}

/** Whether a reason holds, as a sign with words for screen readers. */
function Mark({ holds }: { readonly holds: boolean | null }) {
  if (holds === null) return <span aria-hidden="true">·</span>;
  return (
    <span role="img" aria-label={holds ? 'Holds' : 'Does not hold'}>
      {holds ? '✓' : '✗'}
    </span>
  );
}

function FlowResult({ flow, title }: { readonly flow: TriedFlow; readonly title: string | null }) {
  return (
    <div className={styles.group}>
      {title !== null && <h3 className={styles.subject}>{title}</h3>}
      <p className={styles.result}>{flow.gives ?? 'Nothing'}</p>
      {flow.gives === null && <p className={styles.quiet}>{`The flow ${flow.result}.`}</p>}
      <ul className={styles.lines}>
        {flow.lines.map(({ text, holds, pointer }) => (
          <li key={`${pointer} ${text}`}>
            <Mark holds={holds} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
