import type { VersionView } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Instant } from '../../parts/instant.tsx';
import styles from './campaign.module.css';
import { Approvals } from './next-version.tsx';

/** The approved versions, the latest first, each with what it changed. */
export function Versions({ versions }: { readonly versions: readonly VersionView[] }) {
  return (
    <Card isFlush>
      <ol className={styles.versions}>
        {versions.map(({ version, approved_at, approvals, differences }) => (
          <li key={version} className={styles.version}>
            <h3>
              Version {version}
              <span className={styles.quiet}>
                {approved_at !== null && (
                  <>
                    {' · '}
                    <Instant at={approved_at} />
                  </>
                )}
              </span>
            </h3>
            <Approvals approvals={approvals} />
            {differences.length > 0 ? (
              <Diff changes={differences} />
            ) : (
              <p className={styles.quiet}>The first version.</p>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
