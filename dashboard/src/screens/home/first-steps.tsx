import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '../../api/people.ts';
import { may } from '../../api/session.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Card } from '../../parts/card.tsx';
import { classes } from '../../parts/classes.ts';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import styles from './home.module.css';

interface FirstStep {
  readonly title: string;
  readonly help: string;
  readonly isDone: boolean;
  readonly to: '/$organisation/people' | '/$organisation/campaigns' | '/$organisation/approvals';
  readonly link: string;
}

/** What a new organisation does first. It disappears when all of it is done. */
export function FirstSteps({ campaigns }: { readonly campaigns: readonly CampaignSummary[] }) {
  const organisation = useOrganisation();
  const people = useQuery(peopleQuery(organisation.id));
  if (!may(organisation, 'campaigns:write') || !people.data) return null;
  const steps: readonly FirstStep[] = [
    {
      title: 'Invite the people you work with',
      help: 'Who approves need not be who writes.',
      isDone: people.data.people.length + people.data.invitations.length > 1,
      to: '/$organisation/people',
      link: 'Invite people',
    },
    {
      title: 'Write a campaign',
      help: 'It begins from a template, or from nothing.',
      isDone: campaigns.length > 0,
      to: '/$organisation/campaigns',
      link: 'See campaigns',
    },
    {
      title: 'Have it approved',
      help: 'It runs when everybody whose points it moves has approved it.',
      isDone: campaigns.some(({ status }) => status !== 'DRAFT' && status !== 'IN_REVIEW'),
      to: '/$organisation/approvals',
      link: 'See approvals',
    },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Section title="First steps">
      <Card isFlush>
        <ol className={styles.steps}>
          {steps.map((step, position) => (
            <li key={step.title} className={classes(styles.step, step.isDone && styles.done)}>
              <span className={styles.number}>{step.isDone ? <Icon name="check" /> : position + 1}</span>
              <span className={styles.next}>
                <span className={styles.text}>
                  <span className={styles.name}>{step.title}</span>
                  {!step.isDone && <span className={styles.quiet}>{step.help}</span>}
                </span>
                {position === next && <PlaceLink to={step.to}>{step.link}</PlaceLink>}
              </span>
            </li>
          ))}
        </ol>
      </Card>
    </Section>
  );
}
