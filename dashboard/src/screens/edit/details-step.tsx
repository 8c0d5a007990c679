import type { CampaignType } from '../../api/types.ts';
import { useBuilder } from '../../builder/context.ts';
import { useField } from '../../builder/use-field.ts';
import { RadioCards } from '../../parts/radio-cards.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import styles from './edit.module.css';

const types: readonly { readonly value: CampaignType; readonly label: string; readonly help: string }[] = [
  { value: 'EARN', label: typeWords.EARN, help: 'Members get points or cashback for what they do.' },
  { value: 'REDEEM', label: typeWords.REDEEM, help: 'Members pay with points.' },
  { value: 'TRANSFER', label: typeWords.TRANSFER, help: 'Members move points from one program to another.' },
  { value: 'CONNECT_ONLY', label: typeWords.CONNECT_ONLY, help: 'Members link their account; nothing is given.' },
];

/** The name, the description and the type of a campaign. */
export function DetailsStep() {
  const { campaign } = useBuilder();
  const name = useField('/name', 'Name');
  const description = useField('/description', 'Description');
  const type = useField('/type', 'Type');
  const { merchant, partner } = campaign;
  return (
    <div className={styles.form}>
      <TextField
        label="Name"
        help="Members see it where the campaign is shown."
        value={textOf(name.value)}
        onChange={name.set}
        fault={name.fault}
        id="/name"
      />
      <TextField
        label="Description"
        isRequired={false}
        rows={3}
        value={textOf(description.value)}
        onChange={(text) => description.set(text === '' ? null : text)}
        fault={description.fault}
        id="/description"
      />
      <RadioCards
        label="Type"
        choices={types}
        value={types.find(({ value }) => value === type.value)?.value ?? null}
        onChange={type.set}
        isDisabled={type.lock !== undefined}
        help={type.lock}
        fault={type.fault}
      />
      <TextField label="Partnership" value={`${merchant.name} and ${partner.name}`} isReadOnly />
      <TextField label="Id" value={String(campaign.id)} isReadOnly width="short" />
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
