import { Label } from 'react-aria-components/Label';
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup';
import { maximumCharacters } from '../../../shared/contracts/limits.ts';
import type { CampaignType } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { typeLabels } from '../../../shared/domain/campaign/forms/plain-words.ts';
import { classes } from '../parts/classes.ts';
import { Facts } from '../parts/facts.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { Lock } from './part-editor.tsx';
import { withType } from './starting.ts';
import { useField } from './use-field.ts';

const types: readonly { readonly type: CampaignType; readonly help: string }[] = [
  { type: 'EARN', help: 'Members get points or money back.' },
  { type: 'REDEEM', help: 'Members pay with points.' },
  { type: 'TRANSFER', help: 'Members move points from one program to another.' },
  { type: 'CONNECT_ONLY', help: 'Members link an account, and get nothing for it.' },
];

/** What the campaign is called, and what sort it is. */
export function DetailsStep() {
  const { campaign } = useBuilder();
  return (
    <div className={styles.content}>
      <div className={styles.fields}>
        <TextInput pointer="/name" label="Name" maximum={maximumCharacters.text} isRequired />
        <TextInput pointer="/description" label="Description" maximum={maximumCharacters.description} rows={3} />
        <TextInput
          pointer="/logo"
          label="Icon"
          maximum={maximumCharacters.description}
          help="The https address of a JPG, JPEG, PNG or SVG."
        />
        <TypeCards />
      </div>
      <Facts
        facts={[
          { label: 'Partnership', value: `${campaign.merchant.name} and ${campaign.partner.name}` },
          { label: 'Campaign', value: campaign.id },
        ]}
      />
    </div>
  );
}

interface TextProps {
  readonly pointer: string;
  readonly label: string;
  readonly help?: string;
  readonly maximum: number;
  readonly rows?: number;
  readonly isRequired?: boolean;
}

function TextInput({ pointer, label, help, maximum, rows, isRequired = false }: TextProps) {
  const { value, fault, lock, set } = useField(pointer, label);
  return (
    <TextField
      id={`at${pointer}`}
      label={label}
      help={help}
      fault={fault}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => set(text === '' && !isRequired ? null : text)}
      maxLength={maximum}
      isRequired={isRequired}
      isReadOnly={lock !== undefined}
      autoComplete="off"
      {...(rows !== undefined && { rows })}
    />
  );
}

function TypeCards() {
  const { state, type, change, lockOf } = useBuilder();
  const lock = lockOf('/type');
  return (
    <RadioGroup
      className={classes(styles.group)}
      value={type}
      isDisabled={lock !== undefined}
      onChange={(chosen) => {
        const next = types.find((one) => one.type === chosen);
        if (!next || next.type === type) return;
        const { flows } = withType(state.document, type, next.type);
        change({ kind: 'set', pointer: '/type', value: next.type });
        if (flows !== state.document.flows) change({ kind: 'set', pointer: '/flows', value: flows });
      }}
    >
      <Label className={classes(styles.subject)}>Type</Label>
      <div className={classes(styles.types)}>
        {types.map(({ type: value, help }) => (
          <RadioField key={value} value={value}>
            <RadioButton className={classes(styles.type)}>
              <strong>{typeLabels[value]}</strong>
              <span className={classes(styles.quiet)}>{help}</span>
            </RadioButton>
          </RadioField>
        ))}
      </div>
      {lock !== undefined && <Lock reason={lock} />}
    </RadioGroup>
  );
}
