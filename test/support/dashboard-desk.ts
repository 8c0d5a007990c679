import { afterAll } from 'vitest';
import { secretNameOf } from '../../shared/contracts/consumer.ts';
import { edgeHeaders, edgeSecret, parameterNameOf, stageParameters } from '../../shared/contracts/edge.ts';
import type { StaffRole } from '../../shared/domain/staff/roles.ts';
import type { Session, Staff } from '../../shared/domain/staff/staff.ts';
import { dashboardHeader } from '../../shared/http/browser-origin.ts';
import { digestOf } from '../../shared/store/credential/credentials.ts';
import { newPostWrites, staffWrite } from '../../shared/store/staff/people.ts';
import { sessionText } from '../../shared/store/staff/session-text.ts';
import { sessionWrite } from '../../shared/store/staff/sessions.ts';
import { createParametersServer } from '../../tools/local/parameters/server.ts';
import { createSecretsServer } from '../../tools/local/secrets/server.ts';
import type { World } from './world.ts';

/** The address of the dashboard in tests. */
export const dashboardUrl = 'https://dashboard.rewards.test';
const secret = 'the-secret-of-the-delivery-network';
const stage = 'local';

/** The headers that the delivery network adds to each request. */
export const fromEdge = { [edgeHeaders.secret]: secret, [edgeHeaders.viewerAddress]: '198.51.100.4' };
/** The headers by which the dashboard proves that it sent a request. */
export const fromPage = { [dashboardHeader]: '1', Origin: dashboardUrl, 'Sec-Fetch-Site': 'same-origin' };

/** Starts the services from which the functions of the dashboard read their settings, until the file is done. */
export async function openSettings(): Promise<void> {
  const secrets = createSecretsServer();
  secrets.ensure(secretNameOf(stage, edgeSecret), () => secret);
  const values = new Map([
    [parameterNameOf(stage, stageParameters.dashboardUrl), dashboardUrl],
    [parameterNameOf(stage, stageParameters.identityIssuer), 'https://issuer.rewards.test'],
    [parameterNameOf(stage, stageParameters.identityClient), 'dashboard'],
  ]);
  const parameters = createParametersServer(() => values);
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = await secrets.listen();
  process.env.AWS_ENDPOINT_URL_SSM = await parameters.listen();
  afterAll(async () => {
    await Promise.all([secrets.close(), parameters.close()]);
    delete process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER;
    delete process.env.AWS_ENDPOINT_URL_SSM;
  });
}

/** A person who is signed in. */
export interface SignedInPerson {
  readonly staff: Staff;
  readonly session: Session;
  /** The headers of the person's requests. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How long ago something happened, in milliseconds. */
interface Ages {
  readonly authenticatedMs?: number;
  readonly createdMs?: number;
  readonly seenMs?: number;
}

/** Adds a person with posts in organisations, and signs the person in. */
export async function signIn(
  { platform }: Pick<World, 'platform'>,
  posts: Readonly<Record<number, readonly StaffRole[]>> = {},
  ages: Ages = {},
): Promise<SignedInPerson> {
  const id = platform.nextUuid();
  const createdAt = platform.now().toISOString();
  const staff: Staff = { id, email: `${id.slice(-6)}@staff.example`, name: 'Ada', identity: null, createdAt };
  const writes = Object.entries(posts).flatMap(([organisationId, roles]) =>
    newPostWrites({
      ...{ staffId: id, organisationId: Number(organisationId), roles: [...roles], createdAt, revision: 1 },
      ...{ changedBy: null, changedAt: createdAt },
    }),
  );
  await platform.table.transact([staffWrite(staff), ...writes]);
  return { staff, ...(await startSession({ platform }, staff, ages)) };
}

/** Starts a session of a person. */
export async function startSession(
  { platform }: Pick<World, 'platform'>,
  staff: Staff,
  { authenticatedMs = 0, createdMs = authenticatedMs, seenMs = 0 }: Ages = {},
) {
  const text = sessionText(stage, staff.id, platform.random(32));
  const ago = (ms: number) => new Date(platform.now().getTime() - ms).toISOString();
  const session: Session = {
    ...{ digest: digestOf(text), staffId: staff.id },
    ...{ authenticatedAt: ago(authenticatedMs), createdAt: ago(createdMs), seenAt: ago(seenMs) },
  };
  await platform.table.write(sessionWrite(session));
  return { session, headers: { ...fromEdge, ...fromPage, Cookie: `theme=dark; __Host-rw_session=${text}` } };
}
