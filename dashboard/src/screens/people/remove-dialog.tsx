import { removePerson } from '../../api/people.ts';
import type { PersonView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { usePeopleChange } from './use-people-change.ts';

interface Props {
  readonly person: PersonView;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Takes a person out of the organisation. */
export function RemoveDialog({ person, isSelf, onClose }: Props) {
  const organisation = useOrganisation();
  const name = person.name ?? person.email;
  const change = usePeopleChange(
    (id, revision: number) => removePerson({ organisation: id, id: person.id, revision }),
    () => {
      if (isSelf) location.assign('/');
      toast(`${name} was removed`);
      onClose();
    },
  );
  return (
    <Confirm
      question={isSelf ? `Leave ${organisation.name}?` : `Remove ${name}?`}
      act={isSelf ? `Leave ${organisation.name}` : `Remove ${name}`}
      keep={isSelf ? 'Stay' : 'Keep'}
      isBusy={change.isPending}
      onConfirm={() => change.mutate(person.revision)}
      onClose={onClose}
    >
      {change.error && <Banner tone="fault">{failureText(change.error)}</Banner>}
      <p>
        {isSelf ? 'You lose access' : `${name} loses access`} to {organisation.name} at once. What was done so far stays
        in the audit.
      </p>
    </Confirm>
  );
}
