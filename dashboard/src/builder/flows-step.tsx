import { memo, startTransition, useCallback, useMemo, useState } from 'react';
import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import { flowSentence, type SentenceContext } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { Button } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { Checkbox } from '../parts/checkbox.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { Sentence } from '../parts/sentence.tsx';
import styles from './builder.module.css';
import { type Builder, useBuilder } from './context.ts';
import { Lock, PartEditor } from './part-editor.tsx';
import { AddPart, PartList } from './part-list.tsx';
import { inside, listAt, type Pointer, valueAt } from './pointer.ts';
import { sentenceContextOf } from './sentence-context.ts';
import { startingFlow } from './starting.ts';
import { faultsAt, faultsWithin, faultText } from './step-status.ts';

/** The flows: each begins with its sentence. */
export function FlowsStep() {
  const builder = useBuilder();
  const { state, campaign, type, change, faults, lockOf, showsMissing } = builder;
  const flows = listAt(state.document, '/flows');
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(flows.length === 1 ? [keyAt(0)] : []));
  const context = useMemo(() => sentenceContextOf(campaign, type), [campaign, type]);
  function keyAt(position: number): string {
    return state.keys[`/flows/${position}`] ?? '';
  }
  const add = () => {
    setOpened(new Set([...opened, `k${state.nextKey}`]));
    change({ kind: 'add', list: '/flows', element: startingFlow(type) });
  };
  const toggle = useCallback((key: string) => {
    // The fields of a flow are many: the browser may paint and listen while they are made.
    startTransition(() =>
      setOpened((open) => new Set(open.has(key) ? [...open].filter((one) => one !== key) : [...open, key])),
    );
  }, []);
  if (flows.length === 0) {
    return (
      <Empty
        action={
          <Button look="primary" onPress={add}>
            Add flow
          </Button>
        }
      >
        A flow says what members do and what they get for it.
      </Empty>
    );
  }
  return (
    <div className={styles.content}>
      {faultsAt(faults, '/flows').map((found) => (
        <p key={found.code} className={styles.fault}>
          {faultText(found, 'The list of flows')}
        </p>
      ))}
      {flows.map((flow, position) => {
        const [key, pointer] = [keyAt(position), `/flows/${position}`];
        if (!isObject(flow)) return null;
        return (
          <FlowCard
            key={key}
            {...{ flow, position, context, change }}
            flowKey={key}
            count={flows.length}
            isOpen={opened.has(key)}
            lock={lockOf(pointer)}
            faultCount={showsMissing ? faultsWithin(faults, pointer).length : 0}
            ownFaults={faultsAt(faults, pointer)
              .map((found) => faultText(found, 'The flow'))
              .join(' ')}
            onToggle={toggle}
          />
        );
      })}
      <div className={styles.buttons}>
        <Button onPress={add}>
          <Icon name="plus" /> Flow
        </Button>
      </div>
    </div>
  );
}

interface CardProps {
  readonly flow: Json;
  readonly position: number;
  readonly context: SentenceContext;
  /** The key of the flow in the state: it stays when the flow moves. */
  readonly flowKey: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly lock: string | undefined;
  /** How many faults the flow and its parts have. */
  readonly faultCount: number;
  /** The faults of the flow itself, as sentences. */
  readonly ownFaults: string;
  readonly onToggle: (flowKey: string) => void;
  readonly change: Builder['change'];
}

/** One flow. It is drawn again only when something of its own changes: a campaign may have a hundred. */
const FlowCard = memo(function FlowCard(props: CardProps) {
  const { flow, position, context, flowKey, count, isOpen, lock, faultCount, ownFaults, onToggle, change } = props;
  const pointer = `/flows/${position}`;
  const move = (to: number) => change({ kind: 'move', pointer, to });
  return (
    <Card>
      <div className={styles.content} id={`at${pointer}`}>
        <div className={styles.head}>
          <h3 className={styles.subject}>{`Flow ${position + 1}`}</h3>
          <span className={styles.buttons}>
            {faultCount > 0 && (
              <span className={styles.fault}>{faultCount === 1 ? '1 fault' : `${faultCount} faults`}</span>
            )}
            <Button size="small" onPress={() => onToggle(flowKey)} aria-expanded={isOpen}>
              {isOpen ? 'Close' : 'Edit'}
            </Button>
            <Menu
              label={`Acts of flow ${position + 1}`}
              acts={[
                { id: 'up', label: 'Move up', isDisabled: position === 0, onAction: () => move(position - 1) },
                {
                  id: 'down',
                  label: 'Move down',
                  isDisabled: position === count - 1,
                  onAction: () => move(position + 1),
                },
                {
                  id: 'remove',
                  label: 'Remove flow',
                  isDanger: true,
                  isDisabled: lock !== undefined,
                  ...(lock !== undefined && { help: lock }),
                  onAction: () => change({ kind: 'remove', pointer }),
                },
              ]}
            />
          </span>
        </div>
        <Sentence pieces={flowSentence(flow, pointer, context)} />
        {ownFaults !== '' && <p className={styles.fault}>{ownFaults}</p>}
        {isOpen && <FlowParts pointer={pointer} />}
      </div>
    </Card>
  );
});

function FlowParts({ pointer }: { readonly pointer: Pointer }) {
  const { state, type, change, lockOf } = useBuilder();
  const again = inside(pointer, 'reevaluateOnRefund');
  const groups = inside(pointer, 'conditionGroups');
  return (
    <>
      <div className={styles.group}>
        <h4 className={styles.subject}>Trigger</h4>
        <PartEditor sort="trigger" pointer={inside(pointer, 'trigger')} word="Trigger" />
      </div>
      <PartList sort="actions" list={inside(pointer, 'actions')} title="Gives" word="Action" />
      {listAt(state.document, groups).map((_, position) => {
        const group = inside(groups, position);
        return <GroupEditor key={state.keys[group]} pointer={group} isFirst={position === 0} />;
      })}
      <PartList sort="multipliers" list={inside(pointer, 'multipliers')} title="More for" word="Multiplier" />
      <PartList sort="limits" list={inside(pointer, 'limits')} title="At most" word="Limit" />
      <div className={styles.buttons}>
        {type !== 'CONNECT_ONLY' && <AddPart sort="actions" list={inside(pointer, 'actions')} label="Add action" />}
        <AddPart
          sort="conditions"
          list={groups}
          label="Add condition"
          wrap={(condition) => ({ logic: 'ANY', conditions: [condition] })}
        />
        {type !== 'CONNECT_ONLY' && (
          <AddPart sort="multipliers" list={inside(pointer, 'multipliers')} label="Add multiplier" />
        )}
        <AddPart sort="limits" list={inside(pointer, 'limits')} label="Add limit" />
      </div>
      <Checkbox
        isSelected={valueAt(state.document, again) === true}
        isDisabled={lockOf(again) !== undefined}
        help="A refund then tests conditions and minimums again, for the amount that is left."
        onChange={(value) => change({ kind: 'set', pointer: again, value })}
      >
        Test again after a refund
      </Checkbox>
    </>
  );
}

const logics = [
  { value: 'ANY', label: 'Any of' },
  { value: 'ALL', label: 'All of' },
] as const;

/** Conditions of which any, or all, have to hold. Its last condition takes the group away. */
function GroupEditor({ pointer, isFirst }: { readonly pointer: Pointer; readonly isFirst: boolean }) {
  const { state, change, lockOf } = useBuilder();
  const conditions = inside(pointer, 'conditions');
  const logic = inside(pointer, 'logic');
  const isAll = valueAt(state.document, logic) === 'ALL';
  const lock = lockOf(logic);
  const count = listAt(state.document, conditions).length;
  return (
    <div className={styles.group} id={`at${pointer}`}>
      <div className={styles.head}>
        <h4 className={styles.subject}>{isFirst ? 'Only if' : 'And only if'}</h4>
        {count > 1 && lock === undefined && (
          <Segmented
            label="How many conditions have to hold"
            choices={logics}
            value={isAll ? 'ALL' : 'ANY'}
            onChange={(value) => change({ kind: 'set', pointer: logic, value })}
          />
        )}
        {count > 1 && lock !== undefined && <span className={styles.quiet}>{isAll ? 'All of' : 'Any of'}</span>}
      </div>
      {count > 1 && lock !== undefined && <Lock reason={lock} />}
      <PartList sort="conditions" list={conditions} title="" word="Condition" />
      <div className={styles.buttons}>
        <AddPart sort="conditions" list={conditions} label={isAll && count > 1 ? 'And' : 'Or'} />
      </div>
    </div>
  );
}
