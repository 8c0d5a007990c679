import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { campaignsQuery } from '../api/campaigns.ts';
import type { Membership } from '../api/types.ts';
import { classes } from '../parts/classes.ts';
import { Icon } from '../parts/icon.tsx';
import { isWaitingFor } from '../text/campaign-words.ts';
import styles from './navigation.module.css';
import { placesOf } from './places.ts';

/** The places of an organisation, and how many campaigns wait for the person's approval. */
export function Navigation({ organisation }: { readonly organisation: Membership }) {
  const { data } = useQuery(campaignsQuery(organisation.id, { waiting: 'you' }));
  const waiting = data?.filter((one) => isWaitingFor(one, organisation)).length ?? 0;
  return (
    <nav aria-label="Places" className={classes(styles.navigation)}>
      <ul>
        {placesOf(organisation).map(({ label, to, icon }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ organisation: String(organisation.id) }}
              activeOptions={{ exact: to === '/$organisation', includeSearch: false }}
              className={classes(styles.place)}
            >
              <Icon name={icon} />
              <span className={classes(styles.label)}>{label}</span>
              {to === '/$organisation/approvals' && waiting > 0 && (
                <span className={classes(styles.count)}>
                  {waiting}
                  <span className={classes(styles.hidden)}> waiting for you</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
