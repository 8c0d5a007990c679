import type { PartnershipView } from '../../api/types.ts';
import { Select } from '../../parts/select.tsx';

interface Props {
  readonly partnerships: readonly PartnershipView[];
  readonly value: string | null;
  readonly onChange: (uuid: string) => void;
}

/** The partnership to which a new campaign belongs. */
export function PartnershipChoice({ partnerships, value, onChange }: Props) {
  return (
    <Select
      label="Partnership"
      help="The campaign gives or takes the points of this program."
      value={value}
      onChange={onChange}
      choices={partnerships.map(({ uuid, merchant, partner }) => ({
        value: uuid,
        label: `${merchant.name} and ${partner.name}`,
      }))}
    />
  );
}
