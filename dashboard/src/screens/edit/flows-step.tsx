import type { Json } from '../../../../shared/domain/campaign/document/tree.ts';
import { flowSentence } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import { useBuilder } from '../../builder/context.ts';
import { listAt } from '../../builder/pointer.ts';
import { useField } from '../../builder/use-field.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Checkbox } from '../../parts/checkbox.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { flowsOf } from '../campaign/document.ts';
import { ConditionGroups } from './condition-groups.tsx';
import styles from './edit.module.css';
import { PartEditor } from './part-editor.tsx';
import { PartList } from './part-list.tsx';
import { sentenceContextOf } from './sentence-context-of.ts';

/** What the campaign gives: each flow with its sentence, and the parts that the sentence is made of. */
export function FlowsStep() {
  const { state, change, type } = useBuilder();
  const flows = listAt(state.document, '/flows');
  const trigger = type === 'CONNECT_ONLY' ? 'REGISTRATION' : 'SPEND';
  const add = () => change({ kind: 'add', list: '/flows', element: { trigger: { type: trigger }, actions: [] } });
  return (
    <div className={styles.flows}>
      {flows.length === 0 && <Empty>A flow says what happens, and what members get for it.</Empty>}
      {flowsOf(state.document).map((flow, position) => (
        <FlowEditor
          key={state.keys[`/flows/${position}`] ?? position}
          flow={flow}
          position={position}
          isOnly={flows.length === 1}
        />
      ))}
      <div>
        <Button onPress={add}>
          <Icon name="plus" />
          Add flow
        </Button>
      </div>
    </div>
  );
}

interface Props {
  readonly flow: Json;
  readonly position: number;
  readonly isOnly: boolean;
}

function FlowEditor({ flow, position, isOnly }: Props) {
  const { state, change, type, campaign, lockOf } = useBuilder();
  const pointer = `/flows/${position}`;
  const { settings, names } = campaign;
  const context = { type, trigger: flow.trigger, settings, names };
  return (
    <Card>
      <section className={styles.flow} aria-label={`Flow ${position + 1}`}>
        <div className={styles.flowHead}>
          <div>
            {!isOnly && <h3 className={styles.quiet}>Flow {position + 1}</h3>}
            <Sentence pieces={flowSentence(flow, pointer, sentenceContextOf(campaign, type))} />
          </div>
          {lockOf(pointer) === undefined && (
            <Button
              look="quiet"
              size="small"
              aria-label={`Remove flow ${position + 1}`}
              onPress={() => change({ kind: 'remove', pointer })}
            >
              Remove
            </Button>
          )}
        </div>
        <div className={styles.list}>
          <h4 className={styles.listTitle}>Trigger</h4>
          <PartEditor
            key={state.keys[pointer]}
            sort="trigger"
            pointer={`${pointer}/trigger`}
            context={context}
            name="Trigger"
            isRemovable={false}
          />
        </div>
        <PartList sort="actions" list={`${pointer}/actions`} context={context} title="Gives" one="reward" />
        <ConditionGroups flow={pointer} context={context} />
        <PartList
          sort="multipliers"
          list={`${pointer}/multipliers`}
          context={context}
          title="More for"
          one="multiplier"
        />
        <PartList sort="limits" list={`${pointer}/limits`} context={context} title="Limits" one="limit" />
        <Refunds pointer={`${pointer}/reevaluateOnRefund`} />
      </section>
    </Card>
  );
}

function Refunds({ pointer }: { readonly pointer: string }) {
  const { value, lock, set } = useField(pointer, 'Refunds');
  return (
    <div className={styles.list}>
      <h4 className={styles.listTitle}>Refunds</h4>
      <Checkbox
        help="Otherwise a refund takes back only its own share."
        isSelected={value === true}
        isDisabled={lock !== undefined}
        onChange={(isSelected) => set(isSelected || undefined)}
      >
        A refund tests conditions and minimums again
      </Checkbox>
    </div>
  );
}
