import { useBuilder } from '../../builder/context.ts';
import styles from './edit.module.css';
import { PartList } from './part-list.tsx';

/** What the campaign is to reach. Goals are counted; they change nothing of what members get. */
export function GoalsStep() {
  const { type, campaign } = useBuilder();
  const { settings, names } = campaign;
  const context = { type, trigger: undefined, settings, names };
  return (
    <div className={styles.flows}>
      <p className={styles.quiet}>Goals are counted and shown. They change nothing of what members get.</p>
      <PartList sort="goals" list="/goals" context={context} title="Reach" one="goal" />
    </div>
  );
}
