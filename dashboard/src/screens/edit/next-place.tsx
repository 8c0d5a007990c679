import { ButtonLink } from '../../parts/button-link.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './edit.module.css';
import { type EditPlace, editPlaces } from './steps.ts';

/** The way to the next step. */
export function NextPlace({ campaign, place }: { readonly campaign: number; readonly place: EditPlace }) {
  const organisation = String(useOrganisation().id);
  const next = editPlaces[editPlaces.findIndex((one) => one.place === place) + 1];
  if (!next) return null;
  return (
    <div className={styles.next}>
      <ButtonLink
        to="/$organisation/campaigns/$campaign/edit/$step"
        params={{ organisation, campaign: String(campaign), step: next.place }}
      >
        Next: {next.label.toLowerCase()}
      </ButtonLink>
    </div>
  );
}
