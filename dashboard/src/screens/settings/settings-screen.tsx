import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeSettings, organisationQuery } from '../../api/organisation.ts';
import { may } from '../../api/session.ts';
import type { OrganisationView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Switch } from '../../parts/switch.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { NameForm } from './name-form.tsx';

/** What an organisation is, and what it decides about its work here. */
export function SettingsScreen() {
  const organisation = useOrganisation();
  const query = useQuery(organisationQuery(organisation.id));
  return (
    <Page title="Settings" width="narrow">
      <Loaded query={query} what="the settings">
        {(view) => (
          <>
            <Section title="Organisation">
              <Card>
                <NameForm view={view} />
                <Facts
                  facts={[
                    { label: 'Kind', value: view.kind === 'MERCHANT' ? 'Merchant' : 'Loyalty program' },
                    { label: 'Id', value: <code>{view.id}</code> },
                  ]}
                />
              </Card>
            </Section>
            <Section title="Approvals">
              <FourEyes view={view} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function FourEyes({ view }: { readonly view: OrganisationView }) {
  const organisation = useOrganisation();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (fourEyes: boolean) => changeSettings(organisation.id, view.revision, { four_eyes: fourEyes }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['organisation', organisation.id] }),
  });
  const isOn = change.isPending ? change.variables : view.four_eyes;
  return (
    <Card>
      <Switch
        isSelected={isOn}
        isDisabled={!may(organisation, 'settings:write')}
        onChange={(next) => change.mutate(next)}
        isSaved={change.isSuccess}
        isBusy={change.isPending}
        help="Who changed a draft last does not approve it for your organisation."
      >
        Four eyes
      </Switch>
      {change.error && <Banner tone="fault">{failureText(change.error)}</Banner>}
    </Card>
  );
}
