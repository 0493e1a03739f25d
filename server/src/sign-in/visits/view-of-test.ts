import { inOrganization } from '../../base/db/in-organization.ts'
import type { SessionState } from '../../base/db/schema.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { TestView } from '../page/page-view.ts'
import { whyUnknown } from '../sessions/log-session.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import { mayContinue } from '../sessions/session-rules.ts'
import { claimsOfSession } from './claims-of-session.ts'
import { readOwnWords } from './own-words.ts'

/** What the page of a test says beside what a person reads. */
export async function viewOfTest(
  reader: Reader,
  session: SignInSession,
  state: SessionState,
  now: string,
): Promise<TestView> {
  const { subject_id: subject, upstream } = session
  const isDone = mayContinue(state)
  return {
    identity: subject === null ? null : { subject, said: upstream?.said ?? {} },
    detail: upstream?.detail ?? null,
    unknown: state === 'unknown_person' ? await unknownOf(reader, session) : null,
    claims: isDone ? claimsOfSession({ ...session, state }, now, await readOwnWords(reader, session)) : null,
  }
}

async function unknownOf(reader: Reader, session: SignInSession): Promise<TestView['unknown']> {
  const reason = await whyUnknown(reader, session)
  if (reason !== 'person_unknown' || session.upstream_id === null) return reason
  const upstream = await reader
    .selectFrom('signin_upstreams')
    .select('creates_people')
    .where(inOrganization('signin_upstreams', session.organization_id))
    .where('id', '=', session.upstream_id)
    .executeTakeFirst()
  return upstream?.creates_people ? 'would_be_added' : reason
}
