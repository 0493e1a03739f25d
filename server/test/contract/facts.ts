import { readFileSync } from 'node:fs'
import type { ApiVersion } from '@muster/contract/versions.ts'

export type SearchFact = 'string' | 'several' | 'list' | 'datetime' | 'boolean' | 'enum'

export type OperationFact = {
  record: string
  shape: 'list' | 'single'
  search?: Record<string, SearchFact>
  body?: string
  only?: ApiVersion
}

/**
 * What clients of this API family rely on: operations by method and path with `:` for an identifier, the members of
 * each record, which records are within which, and the values of closed sets. Written down apart from the schemas, so
 * that a slip in those is found.
 */
export const facts = JSON.parse(readFileSync(new URL('facts.json', import.meta.url), 'utf8')) as {
  operations: Record<string, OperationFact>
  records: Record<string, string[]>
  nested: Record<string, string>
  enums: Record<string, string[]>
}

/** Members and parameters that we add to the contract's, each of them described as an addition in the documents. */
export const additions: Readonly<Record<string, readonly string[]>> = {
  operations: [
    'GET /package_downloads/:',
    'GET /ssf/jwks.json',
    // Issuers with a path (SSF 1.0 §7.2).
    'GET /.well-known/ssf-configuration/ssf/:',
    'GET /ssf/:/.well-known/ssf-configuration',
    'GET /ssf/:/jwks.json',
    'PUT /ssf_streams/:',
    'PATCH /ssf_streams',
    'PUT /ssf_streams',
    'DELETE /ssf_streams',
    'DELETE /ssf_streams/:',
    'POST /ssf_streams/status',
    'POST /ssf_streams/verify',
    'GET /ssf_streams/:/history',
    'GET /ssf_streams/:/history/:',
    'POST /ssf_streams/:/replay',
    'GET /ssf_streams/:/snapshot',
    'GET /ssf_streams/:/issuer',
    'POST /ssf_streams/:/move',
    'GET /ssf_streams/:/checkpoint',
    'GET /live_query_campaigns/:/query_results/:/rows',
    'GET /devices/:/reporting_tables',
    'PATCH /devices/:/registration',
    'PUT /devices/:/registration',
    'POST /registrations',
    'POST /owner_list_previews',
    'POST /people',
    'DELETE /people/:',
    'POST /deprovisioned_people/:/restore',
    'GET /webhook_endpoints',
    'POST /webhook_endpoints',
    'GET /webhook_endpoints/:',
    'PATCH /webhook_endpoints/:',
    'PUT /webhook_endpoints/:',
    'DELETE /webhook_endpoints/:',
    'POST /webhook_endpoints/:/reveal_secret',
    'POST /webhook_endpoints/:/roll_secret',
    'POST /webhook_endpoints/:/test',
    'POST /webhook_endpoints/:/resend',
    'GET /webhook_endpoints/:/deliveries',
    'GET /webhook_endpoints/:/deliveries/:',
    'POST /webhook_endpoints/:/deliveries/:/resend',
  ],
  device_group_member: ['data'],
  device_group_member_request_body: ['device_id'],
  check_refresh: ['data'],
  check_refresh_request_body: ['check_ids'],
  exemption_request_request_body: ['reviewer_note'],
  device: ['registration_suspended_at', 'identity_conflict_since', 'agent_version', 'enrolled_at'],
  live_query_result: ['kept_count', 'rows_url'],
  package: ['agent', 'platform', 'format', 'architecture', 'node_version', 'file_name', 'problem'],
  ssf_poll_answer: ['moreAvailable'],
  ssf_poll_body: ['maxEvents', 'returnImmediately', 'setErrs'],
  ssf_stream: ['description', 'health', 'min_verification_interval', 'device_subject_format'],
  ssf_stream_delivery: ['authorization_header'],
  ssf_stream_test: ['hint'],
  ssf_stream_status: ['reason'],
  ssf_configuration: ['spec_version', 'authorization_schemes', 'default_subjects'],
  report_query: ['results_updated_at', 'results_truncated', 'error_message'],
}

/** Fields that lists of these records are searched by besides the contract's. */
export const searchAdditions: Readonly<Record<string, Readonly<Record<string, SearchFact>>>> = {
  device: {
    ...{ registration_suspended_at: 'datetime', identity_conflict_since: 'datetime', auth_state: 'enum' },
    registered_owner: 'string',
  },
}

/** Lists that the contract has no search for. */
export const ownSearches: Readonly<Record<string, Readonly<Record<string, SearchFact>>>> = {
  'GET /packages': { id: 'several', agent: 'enum', platform: 'enum', format: 'enum', architecture: 'enum' },
}

/** The key of an operation in the facts. */
export const factKey = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replaceAll(/:\w+/g, ':')}`
