import { useState } from 'react';
import { changeRoles } from '../../api/people.ts';
import type { PersonView, Role } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { RoleChoice } from './role-choice.tsx';
import { usePeopleChange } from './use-people-change.ts';

/** Changes what a person may. It takes effect with the person's next click. */
export function RolesDialog({ person, onClose }: { readonly person: PersonView; readonly onClose: () => void }) {
  const name = person.name ?? person.email;
  const [roles, setRoles] = useState(person.roles);
  const change = usePeopleChange(
    (organisation, next: readonly Role[]) =>
      changeRoles({ organisation, id: person.id, revision: person.revision }, next),
    () => {
      toast(`The roles of ${name} were changed`);
      onClose();
    },
  );
  return (
    <Dialog
      title={`Roles of ${name}`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            isBusy={change.isPending}
            isDisabled={roles.length === 0}
            onPress={() => change.mutate(roles)}
          >
            Save roles
          </Button>
        </>
      }
    >
      {change.error && <Banner tone="fault">{failureText(change.error)}</Banner>}
      <RoleChoice
        value={roles}
        onChange={setRoles}
        fault={roles.length === 0 ? 'Choose at least one role.' : undefined}
      />
    </Dialog>
  );
}
