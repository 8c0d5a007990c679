import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useOrganisation } from '../../use-organisation.ts';

/** A change of the people of the organisation. The lists are loaded again after it, also when it is refused. */
export function usePeopleChange<Input, Output>(
  change: (organisation: number, input: Input) => Promise<Output>,
  onDone: () => void = () => undefined,
) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(organisation, input),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people', organisation] }),
  });
}
