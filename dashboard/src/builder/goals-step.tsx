import { Empty } from '../parts/empty.tsx';
import styles from './builder.module.css';
import { useBuilder } from './context.ts';
import { AddPart, PartList } from './part-list.tsx';
import { listAt } from './pointer.ts';

/** The goals: numbers to reach. Rewards do not depend on them. */
export function GoalsStep() {
  const { state } = useBuilder();
  const add = <AddPart sort="goals" list="/goals" label="Add goal" />;
  if (listAt(state.document, '/goals').length === 0) {
    return (
      <Empty action={add}>
        A goal is a number to reach. The campaign shows how far it is. Rewards do not depend on it.
      </Empty>
    );
  }
  return (
    <div className={styles.content}>
      <PartList sort="goals" list="/goals" title="Goals" word="Goal" />
      <div className={styles.buttons}>{add}</div>
    </div>
  );
}
