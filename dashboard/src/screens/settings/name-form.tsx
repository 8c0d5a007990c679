import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeSettings } from '../../api/organisation.ts';
import { may } from '../../api/session.ts';
import type { OrganisationView } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './settings.module.css';

/** The name by which partners and members know the organisation. */
export function NameForm({ view }: { readonly view: OrganisationView }) {
  const organisation = useOrganisation();
  const queryClient = useQueryClient();
  const [typed, type] = useKeptText('organisation name');
  const name = typed ?? view.name;
  const change = useMutation({
    mutationFn: () => changeSettings(organisation.id, view.revision, { name: name.trim() }),
    onSuccess: async () => {
      toast(`The organisation is now called ${name.trim()}`);
      await queryClient.invalidateQueries({ queryKey: ['organisation', organisation.id] });
      type(null);
    },
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
        onChange={type}
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
