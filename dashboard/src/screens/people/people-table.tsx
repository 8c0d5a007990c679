import { useState } from 'react';
import { may } from '../../api/session.ts';
import type { PersonView } from '../../api/types.ts';
import { Instant } from '../../parts/instant.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Person } from '../../parts/person.tsx';
import { Table } from '../../parts/table.tsx';
import { rolesText } from '../../text/role-words.ts';
import { useOrganisation, useSession } from '../../use-organisation.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RolesDialog } from './roles-dialog.tsx';

/** The people of an organisation. */
export function PeopleTable({ people }: { readonly people: readonly PersonView[] }) {
  const organisation = useOrganisation();
  const { person: self } = useSession();
  const [asked, ask] = useState<{ readonly what: 'roles' | 'remove'; readonly person: PersonView } | null>(null);
  const mayChange = may(organisation, 'people:write');
  const close = () => ask(null);
  return (
    <>
      <Table
        isEven
        label="People"
        rows={people}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'person',
            label: 'Person',
            cell: ({ id, name, email }) => (
              <Person
                name={`${name ?? email}${id === self.id ? ' (you)' : ''}`}
                detail={name === null ? undefined : email}
              />
            ),
          },
          { id: 'roles', label: 'Roles', cell: ({ roles }) => rolesText(roles) },
          { id: 'since', label: 'Since', isOneLine: true, cell: ({ created_at }) => <Instant at={created_at} /> },
          {
            id: 'acts',
            label: 'Acts',
            hasHiddenLabel: true,
            cell: (person) =>
              (mayChange || person.id === self.id) && (
                <Menu
                  label={`Acts of ${person.name ?? person.email}`}
                  acts={[
                    ...(mayChange
                      ? [{ id: 'roles', label: 'Change roles', onAction: () => ask({ what: 'roles', person }) }]
                      : []),
                    {
                      id: 'remove',
                      label: person.id === self.id ? 'Leave organisation' : 'Remove person',
                      isDanger: true,
                      onAction: () => ask({ what: 'remove', person }),
                    },
                  ]}
                />
              ),
          },
        ]}
      />
      {asked?.what === 'roles' && <RolesDialog person={asked.person} onClose={close} />}
      {asked?.what === 'remove' && (
        <RemoveDialog person={asked.person} isSelf={asked.person.id === self.id} onClose={close} />
      )}
    </>
  );
}
