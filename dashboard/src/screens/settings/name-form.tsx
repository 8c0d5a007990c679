import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeSettings } from '../../api/organisation.ts';
import { may } from '../../api/session.ts';
import type { OrganisationView } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './settings.module.css';

/** The name by which partners and members know the organisation. */
export function NameForm({ view }: { readonly view: OrganisationView }) {
  const organisation = useOrganisation();
  const queryClient = useQueryClient();
  const [name, setName] = useState(view.name);
  const change = useMutation({
    mutationFn: () => changeSettings(organisation.id, view.revision, { name: name.trim() }),
    onSuccess: () => toast(`The organisation is now called ${name.trim()}`),
    onSettled: () => {
      queryClient.invalidateQueries({ queryKey: ['organisation', organisation.id] });
      queryClient.invalidateQueries({ queryKey: ['session'] });
    },
  });
  const mayChange = may(organisation, 'settings:write');
  const isChanged = name.trim() !== view.name;
  return (
    <div className={styles.name}>
      <TextField
        label="Name"
        help="Partners read it in every campaign."
        value={name}
        onChange={setName}
        isReadOnly={!mayChange}
        fault={change.error ? failureText(change.error) : undefined}
      />
      {mayChange && isChanged && (
        <Button isBusy={change.isPending} isDisabled={name.trim() === ''} onPress={() => change.mutate()}>
          Save name
        </Button>
      )}
    </div>
  );
}
