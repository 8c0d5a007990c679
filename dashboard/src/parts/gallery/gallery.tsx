import { type ReactNode, useState } from 'react';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { Card } from '../card.tsx';
import { Checkbox } from '../checkbox.tsx';
import { Chip } from '../chip.tsx';
import { Confirm } from '../confirm.tsx';
import { Diff } from '../diff.tsx';
import { Empty } from '../empty.tsx';
import { Facts } from '../facts.tsx';
import { Menu } from '../menu.tsx';
import { Page, Section } from '../page.tsx';
import { Person } from '../person.tsx';
import { SearchField } from '../search-field.tsx';
import { Secret } from '../secret.tsx';
import { Segmented } from '../segmented.tsx';
import { Select } from '../select.tsx';
import { Sentence } from '../sentence.tsx';
import { Skeleton } from '../skeleton.tsx';
import { StatusChip } from '../status-chip.tsx';
import { Switch } from '../switch.tsx';
import { Table } from '../table.tsx';
import { TextField } from '../text-field.tsx';
import { Toasts, toast } from '../toast.tsx';
import styles from './gallery.module.css';

/** All parts, each in its states. */
export function Gallery() {
  return (
    <main className={styles.gallery}>
      <Page title="Parts">
        <Buttons />
        <Fields />
        <States />
        <Texts />
        <Lists />
      </Page>
      <Toasts />
    </main>
  );
}

const Row = ({ children }: { readonly children: ReactNode }) => <div className={styles.row}>{children}</div>;
const nothing = () => undefined;

function Buttons() {
  const [isAsking, ask] = useState(false);
  return (
    <Section title="Buttons">
      <Row>
        <Button look="primary">Approve campaign</Button>
        <Button>Edit campaign</Button>
        <Button look="quiet">Dismiss</Button>
        <Button look="danger" onPress={() => ask(true)}>
          Delete campaign
        </Button>
        <Button look="primary" isBusy>
          Approve campaign
        </Button>
        <Button isDisabled>Edit campaign</Button>
        <Button size="small">Undo</Button>
        <Button onPress={() => toast('Spring double was paused', nothing)}>Show a message</Button>
        <Menu
          label="Acts"
          acts={[
            { id: 'edit', label: 'Edit', onAction: nothing },
            { id: 'end', label: 'End', help: 'It has not begun', isDisabled: true, onAction: nothing },
            { id: 'delete', label: 'Delete', isDanger: true, onAction: nothing },
          ]}
        />
      </Row>
      {isAsking && (
        <Confirm
          question="Delete Spring double?"
          act="Delete Spring double"
          keep="Keep it"
          typed="Spring double"
          isBusy={false}
          onConfirm={() => ask(false)}
          onClose={() => ask(false)}
        >
          <p>It disappears for both sides.</p>
        </Confirm>
      )}
    </Section>
  );
}

const choices = [
  { value: 'day', label: 'a day' },
  { value: 'month', label: 'a month', help: 'From the first of each month' },
] as const;

function Fields() {
  const [text, setText] = useState('Spring double');
  const [choice, choose] = useState<'day' | 'month' | null>(null);
  const [isOn, turn] = useState(true);
  return (
    <Section title="Fields">
      <div className={styles.fields}>
        <TextField label="Name" help="Members see it." value={text} onChange={setText} />
        <TextField label="Name" fault="Give it a name." value="" onChange={nothing} />
        <TextField label="Description" isRequired={false} rows={2} value={text} onChange={setText} />
        <TextField label="Points" before="$" after="points" width="short" value="2" onChange={nothing} />
        <TextField label="Id" value="42" isReadOnly />
        <Select label="Period" choices={choices} value={choice} onChange={choose} />
        <Select label="Period" choices={choices} value={choice} onChange={choose} isDisabled />
        <SearchField label="Search campaigns" value={text} onChange={setText} />
        <Segmented label="Period" choices={choices} value={choice ?? 'day'} onChange={choose} />
        <Checkbox isSelected={isOn} onChange={turn} help="It says more.">
          Owner
        </Checkbox>
        <Switch isSelected={isOn} onChange={turn} help="It acts at once." isSaved>
          Four eyes
        </Switch>
        <Secret label="Link" text="https://dashboard.example/?invitation=1" why="It is shown this once." />
      </div>
    </Section>
  );
}

function States() {
  return (
    <Section title="States">
      <Row>
        {(['DRAFT', 'IN_REVIEW', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const).map((status) => (
          <StatusChip key={status} status={status} />
        ))}
        <Chip tone="fault">2 faults</Chip>
      </Row>
      {(['neutral', 'good', 'attention', 'fault'] as const).map((tone) => (
        <Banner
          key={tone}
          tone={tone}
          title="Skyline Miles sent it back"
          action={<Button>Edit</Button>}
          isAlert={false}
        >
          Two points are too many.
        </Banner>
      ))}
      <Empty action={<Button>New campaign</Button>}>A campaign says what members get. You have none yet.</Empty>
      <Skeleton />
    </Section>
  );
}

function Texts() {
  return (
    <Section title="Texts">
      <Card>
        <Sentence
          pieces={[
            { text: 'When a member spends, Skyline Miles gives ' },
            { text: '2 points', pointer: '/' },
            { text: ' per $1.' },
          ]}
        />
        <Diff changes={[{ pointer: '/name', label: 'Name', old: 'Spring', new: 'Spring double' }]} />
        <Facts facts={[{ label: 'Type', value: 'Earn' }]} />
        <Person name="Ann Owner" detail="ann@corner.example" />
      </Card>
    </Section>
  );
}

function Lists() {
  const rows = [
    { id: '1', name: 'Spring double', points: '412,300' },
    { id: '2', name: 'Welcome back', points: '0' },
  ];
  return (
    <Section title="Lists">
      <Table
        label="Campaigns"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { id: 'name', label: 'Campaign', cell: ({ name }) => name },
          { id: 'points', label: 'Points', isNumeric: true, cell: ({ points }) => points },
        ]}
      />
    </Section>
  );
}
