import { useMemo, useState } from 'react';
import { readQuantity } from '../../../../shared/domain/campaign/forms/quantities.ts';
import { useBuilder } from '../../builder/context.ts';
import { fileOf } from '../../builder/state.ts';
import { type Tried, type TryInput, tryFile } from '../../builder/try-it.ts';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import styles from './edit.module.css';
import { sentenceContextOf } from './sentence-context-of.ts';

/** An imagined purchase: what each flow gives for it, and why. It answers while one types, and asks no server. */
export function TryPanel() {
  const { campaign, state, type } = useBuilder();
  const [amount, setAmount] = useState('42.50');
  const [tier, setTier] = useState('none');
  const [place, setPlace] = useState('');
  const read = readQuantity(amount, 'money');
  const tried = useMemo((): Tried | null => {
    if (!('value' in read)) return null;
    const input: TryInput = {
      trigger: { type: 'SPEND' },
      amountCents: read.value,
      transferPoints: type === 'TRANSFER' ? Math.round(read.value / 100) : null,
      numbers: {},
      tierId: tier === 'none' ? null : Number(tier),
      place,
      attributes: {},
      at: new Date().toISOString(),
      connectedAt: null,
      totalSpendCents: 0,
      items: undefined,
    };
    const { organisationId, settings, before, timeZone } = campaign;
    return tryFile(fileOf(state), input, {
      ...sentenceContextOf(campaign, type),
      ...{ organisationId, settings, before, timeZone, now: new Date() },
    });
  }, [campaign, state, type, read, tier, place]);
  const { tiers } = campaign.settings;
  return (
    <aside className={styles.try} aria-label="Try it">
      <h2>Try it</h2>
      <TextField
        label="A member spends"
        before="$"
        inputMode="decimal"
        value={amount}
        onChange={setAmount}
        fault={'fault' in read ? `The amount ${read.fault}.` : undefined}
      />
      {tiers.length > 0 && (
        <Select
          label="Status"
          value={tier}
          onChange={setTier}
          choices={[
            { value: 'none', label: 'No status' },
            ...tiers.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
      <TextField
        label="Place"
        isRequired={false}
        help="US, or a city such as Austin, TX"
        value={place}
        onChange={setPlace}
      />
      {tried && <Result tried={tried} />}
    </aside>
  );
}

function Result({ tried }: { readonly tried: Tried }) {
  if (tried.kind === 'faulty') return <p className={styles.quiet}>It can be tried when its faults are mended.</p>;
  if (tried.kind === 'refused') return <p className={styles.quiet}>{tried.reason}</p>;
  return (
    <div role="status">
      {tried.flows.map(({ pointer, gives, result, lines }, position) => (
        <div key={pointer} className={styles.result}>
          {tried.flows.length > 1 && <p className={styles.quiet}>Flow {position + 1}</p>}
          <p className={styles.gives}>{gives ?? 'Nothing'}</p>
          {gives === null && <p className={styles.quiet}>{result}</p>}
          <ul className={styles.lines}>
            {lines.map(({ text, holds, pointer: at }) => (
              <li key={`${at} ${text}`}>
                {holds !== null && (holds ? '✓ ' : '✗ ')}
                {text}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
