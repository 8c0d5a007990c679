import { useQueryClient } from '@tanstack/react-query';
import { knownTrigger } from '../../api/builder-settings.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import { may } from '../../api/session.ts';
import { createTrigger } from '../../api/triggers.ts';
import type { MakeEvent } from '../../builder/context.ts';
import { useOrganisation } from '../../use-organisation.ts';

/** Makes events of a partnership, for a person whose roles allow it. Every flow of its campaigns can wait for them. */
export function useMakeEvent(partnership: string): MakeEvent | undefined {
  const organisation = useOrganisation();
  const queryClient = useQueryClient();
  if (!may(organisation, 'triggers:write')) return undefined;
  return async (file) => {
    const made = await createTrigger(organisation.id, partnership, file);
    queryClient.setQueryData(partnershipsQuery(organisation.id).queryKey, (known) =>
      known?.map((one) => (one.uuid === partnership ? { ...one, triggers: [...one.triggers, made] } : one)),
    );
    return knownTrigger(made);
  };
}
