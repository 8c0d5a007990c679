import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeptPlace, keepDraft, takeKeptDraft } from '../../builder/kept-work.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { saveFile } from '../save-file.ts';

/** The work that this browser kept on a campaign, when the campaign is opened. */
export const keptQuery = (place: KeptPlace) =>
  queryOptions({ queryKey: ['kept', place], queryFn: () => takeKeptDraft(place), staleTime: Infinity, gcTime: 0 });

/** Offers work that this browser kept on a campaign that the person can edit no more. */
export function LeftWork({ place }: { readonly place: KeptPlace }) {
  const queryClient = useQueryClient();
  const { data: kept } = useQuery({ ...keptQuery(place), staleTime: 0 });
  if (!kept) return null;
  const { document } = kept.work;
  const forget = () => {
    keepDraft(place, null);
    queryClient.setQueryData(keptQuery(place).queryKey, null);
  };
  return (
    <Banner
      tone="attention"
      title="What you typed last was not saved"
      action={
        <>
          <Button onPress={forget}>Forget it</Button>
          <Button
            onPress={() =>
              saveFile(`${document.name}.json`, `${JSON.stringify(document, null, 2)}\n`, 'application/json')
            }
          >
            Save as file
          </Button>
        </>
      }
    >
      <p>It is kept in this browser. A new campaign can begin with the file.</p>
    </Banner>
  );
}
