import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { peopleQuery } from '../../api/people.ts';
import { may } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { InvitationTable } from './invitation-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { PeopleTable } from './people-table.tsx';

/** Who works for the organisation, with which roles, and who is invited. */
export function PeopleScreen() {
  const organisation = useOrganisation();
  const query = useQuery(peopleQuery(organisation.id));
  const [isInviting, invite] = useState(false);
  return (
    <Page
      title="People"
      actions={
        may(organisation, 'people:write') && (
          <Button look="primary" onPress={() => invite(true)}>
            Invite person
          </Button>
        )
      }
    >
      <Loaded query={query} what="the people">
        {({ people, invitations }) => (
          <>
            <PeopleTable people={people} />
            {invitations.length > 0 && (
              <Section title="Invited">
                <InvitationTable invitations={invitations} />
              </Section>
            )}
          </>
        )}
      </Loaded>
      {isInviting && <InviteDialog onClose={() => invite(false)} />}
    </Page>
  );
}
