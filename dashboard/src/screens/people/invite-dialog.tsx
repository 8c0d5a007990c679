import { useState } from 'react';
import { invite } from '../../api/people.ts';
import type { InvitationView, Role } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { RoleChoice } from './role-choice.tsx';
import { usePeopleChange } from './use-people-change.ts';

interface Props {
  /** The invitation to make again; undefined for a new one. */
  readonly earlier?: InvitationView;
  readonly onClose: () => void;
}

/** Invites a person by an address and roles, and shows the link once. */
export function InviteDialog({ earlier, onClose }: Props) {
  const organisation = useOrganisation();
  const [typed, type] = useKeptText(`invitation ${earlier?.id ?? 'new'}`);
  const email = typed ?? earlier?.email ?? '';
  const [roles, setRoles] = useState<readonly Role[]>(earlier?.roles ?? ['editor']);
  const [isChecked, check] = useState(false);
  const change = usePeopleChange(invite, () => type(null));
  const isAddress = /^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(email.trim());
  const send = () => {
    check(true);
    if (isAddress && roles.length > 0) change.mutate({ email: email.trim(), roles });
  };
  if (change.data) return <InvitedDialog email={change.variables.email} link={change.data.link} onClose={onClose} />;
  return (
    <Dialog
      title={`Invite a person to ${organisation.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" isBusy={change.isPending} onPress={send}>
            Create invitation
          </Button>
        </>
      }
    >
      {change.error && <Banner tone="fault">{failureText(change.error)}</Banner>}
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="off"
        autoFocus
        value={email}
        onChange={type}
        help="Only a person with exactly this address can accept."
        fault={isChecked && !isAddress ? 'Give an address such as ann@example.com.' : undefined}
      />
      <RoleChoice
        value={roles}
        onChange={setRoles}
        fault={isChecked && roles.length === 0 ? 'Choose at least one role.' : undefined}
      />
    </Dialog>
  );
}

function InvitedDialog({
  email,
  link,
  onClose,
}: {
  readonly email: string;
  readonly link: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={`${email} is invited`}
      onClose={onClose}
      isPersistent
      actions={
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      }
    >
      <p>Send this link to the person. It works once, within 7 days, and for this address only.</p>
      <Secret
        label="Link of the invitation"
        text={link}
        why="It is shown this once. You can make a new one at any time."
      />
    </Dialog>
  );
}
