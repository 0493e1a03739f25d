import type { AuditChange } from '@muster/contract/audit-changes.ts'
import type { AuthLogEventType } from '@muster/contract/auth-logs.ts'
import type { RegistrationEvidence } from '@muster/contract/registration-evidence.ts'
import type { TableProblemType } from '@muster/contract/reporting-tables.ts'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { ColumnType, Generated } from 'kysely'

/** 64-bit integer as decimal text, given by the database unless an import brings it. */
type Id = Generated<string>
/** Read as values, written as JSON text. */
type Json<Value> = ColumnType<Value, string, string>
type JsonWithDefault<Value> = ColumnType<Value, string | undefined, string>
type WithDefault<Value> = ColumnType<Value, Value | undefined, Value>
/** ISO 8601, UTC, milliseconds. */
type Instant = string

/** What a node has said that enrolled as a device with a linked companion. */
export type UnconfirmedEnrollment = {
  facts: Record<string, string | null>
  enrollment_secret_id: string
  ip_address: string | null
}

export type StoredAuthState = 'good' | 'notified' | 'will_block' | 'blocked'
export type CompliancyStatus = 'compliant' | 'not-compliant'
type StoredStatus =
  | 'pending'
  | 'passing'
  | 'failing'
  | 'unknown'
  | 'errored'
  | 'inapplicable'
  | 'stale'
  | 'out_of_scope'
type SectionStatus = 'missing' | 'bad' | 'good'

export type LiveQueryStatus = 'waiting' | 'successful' | 'errored'
export type TargetedPlatform = 'all' | 'Mac' | 'Windows' | 'Linux'

/** Where a sign-in stands. The page of it shows one thing for each. */
export type SessionState =
  | 'identifying'
  | 'looking'
  | 'unknown_person'
  | 'linking'
  | 'evaluating'
  | 'register'
  | 'confirm'
  | 'not_ready'
  | 'ask_it'
  | 'awaiting_approval'
  | 'denied'
  | 'not_your_device'
  | 'unfinished'
  | 'blocked'
  | 'warning'
  | 'passed'
  | 'observed'
  | 'bypassed'
  | 'keeps_asking'
  | 'ended'

/** Why the page of a sign-in has found no device. */
export type DetectionReason =
  | 'agent_not_found'
  | 'permission_denied'
  | 'other_profile'
  | 'ad_blocker'
  | 'proxy'
  | 'unsupported'
  | 'agent_outdated'
  | 'proof_invalid'
  | 'proof_relayed'
  | 'several_devices'
  | 'linking'

export type AdminLinkPurpose = 'first_run' | 'invite' | 'reset'
export type SignInMethod = 'password' | 'link' | 'passkey' | 'oidc'

/** What a signing key is for. */
export type KeyPurpose = 'signals' | 'challenge' | 'oidc' | 'entra'

/** What an answer to Microsoft Entra repeats of its request, and the values that it gives of those that were asked for. */
export type EntraRequest = {
  redirect_uri: string
  state: string | null
  nonce: string
  sub: string
  acr: string
  amr: string
  request_id: string | null
}
/** RFC 7518 §6.2. */
export type PublicEcJwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string }

/** Of a sign-in that an upstream identifies: what was asked, and what it said. */
export type UpstreamPart = {
  asked: { prompt?: string; maxAge?: number; loginHint?: string }
  /** How often the browser was sent there, and when last. */
  legs: number
  begunAt?: string
  /** The upstream that the browser was sent to. */
  upstreamId?: string
  /** Why the last answer identified nobody. */
  failure?: 'unavailable' | 'refused' | 'tenant' | 'domain' | 'unverified' | 'no_address'
  /** The same for an administrator, in a test. */
  detail?: string
  said?: UpstreamClaims
}
export type UpstreamClaims = {
  acr?: string
  amr?: string[]
  authTime?: number
  email?: string
  name?: string
  preferredUsername?: string
  givenName?: string
  familyName?: string
}

/** With the thumbprint of the key that has signed for this one, where one has. */
type CompanionJwk = PublicEcJwk & { vouched_by?: string }
/** RFC 7517, RSA. */
type PublicJwk = { kty: 'RSA'; n: string; e: string } | { kty: 'EC'; crv: 'P-256'; x: string; y: string }

export interface Database {
  installation: {
    singleton: Generated<boolean>
    master_key_fingerprint: string
    created_at: Instant
    base_url: string | null
  }
  organization_settings: {
    organization_id: string
    auth_logs_days: number | null
    live_results_days: number | null
    settled_signals_days: number | null
    settled_deliveries_days: number | null
    is_first_device_trusted: WithDefault<boolean>
    registration_required_checks: WithDefault<string[]>
    is_second_factor_required: WithDefault<boolean>
    is_owner_by_account: WithDefault<boolean>
    updated_at: Instant
  }
  organizations: {
    id: Id
    name: string
    disabled_features: WithDefault<string[]>
    created_at: Instant
    base_url: string | null
    old_addresses_ended_at: Instant | null
  }
  former_addresses: {
    organization_id: string
    base_url: string
    left_at: Instant
    ended_at: Instant | null
  }
  people: {
    organization_id: string
    id: Id
    name: string
    email: string
    usernames: WithDefault<string[]>
    has_used_first_trust: WithDefault<boolean>
    created_at: Instant
    last_authenticated_at: Instant | null
    deprovisioned_at: Instant | null
    is_duplicate: WithDefault<boolean>
  }
  person_groups: { organization_id: string; id: Id; name: string; created_at: Instant }
  person_group_members: { organization_id: string; person_group_id: string; person_id: string }
  devices: {
    organization_id: string
    id: Id
    name: string
    device_type: 'Mac' | 'Linux' | 'Windows' | 'iOS' | 'Android'
    form_factor: 'computer' | 'tablet' | 'phone'
    operating_system: string | null
    hardware_model: string | null
    serial: string | null
    hardware_uuid: string | null
    machine_id: string | null
    /** What the agent called its machine when it enrolled; null where it enrolled before this was kept. */
    host_identifier: string | null
    agent_version: string | null
    note: string | null
    product_image_url: string | null
    has_had_owner: WithDefault<boolean>
    registered_owner_id: string | null
    registered_at: Instant | null
    is_registered_by_owner: WithDefault<boolean>
    registration_suspended_at: Instant | null
    authentication_mode: WithDefault<'only_registered_owner' | 'only_registered_owner_or_group_members' | 'anyone'>
    last_authenticated_at: Instant | null
    auth_state: WithDefault<StoredAuthState>
    will_block_at: Instant | null
    signalled_status: CompliancyStatus | null
    created_at: Instant
    enrolled_at: Instant | null
    deleted_at: Instant | null
    is_named: WithDefault<boolean>
    /** Since when two agents take turns enrolling as the device. */
    identity_conflict_since: Instant | null
  }
  device_reenrollments: {
    organization_id: string
    device_id: string
    counted_from: Instant
    counted: number
    last_at: Instant
    refused_until: Instant | null
    cool_downs: WithDefault<number>
    refused: WithDefault<number>
    /** When an administrator has resolved the conflict, and no second machine has enrolled since. */
    resolved_at: Instant | null
  }
  ended_registrations: {
    organization_id: string
    device_id: string
    person_id: string
    ended_at: Instant
    ended_by: string
    suspended_at: Instant | null
  }
  device_presence: { organization_id: string; device_id: string; last_seen_at: Instant }
  device_check_runs: { organization_id: string; device_id: string; check_ids: string[]; ran_at: Instant[] }
  device_snapshots: {
    organization_id: string
    device_id: string
    reporting_table: string
    digest: Buffer
    is_truncated: boolean
    is_scheduled: boolean
    taken_at: Instant
  }
  device_snapshot_rows: {
    organization_id: string
    reporting_table: string
    id: Id
    device_id: string
    content: Json<Record<string, string>>
  }
  device_table_problems: {
    organization_id: string
    device_id: string
    reporting_table: string
    type: TableProblemType
    message: string
    since: Instant
  }
  device_authentication_groups: { organization_id: string; device_id: string; person_group_id: string }
  device_groups: {
    organization_id: string
    id: Id
    name: string
    description: string | null
    members_count: WithDefault<number>
    created_at: Instant
  }
  device_group_members: { organization_id: string; device_group_id: string; device_id: string }
  enrollment_secrets: {
    organization_id: string
    id: Id
    name: string
    sealed_secret: Buffer
    person_id: string | null
    created_at: Instant
    expires_at: Instant | null
    revoked_at: Instant | null
  }
  api_keys: {
    organization_id: string
    id: Id
    name: string
    responsible_administrator: string
    sealed_key: Buffer
    /** Permission code to its written rationale. */
    permissions: JsonWithDefault<Record<string, string>>
    created_at: Instant
    last_used_at: Instant | null
    revoked_at: Instant | null
    /** Permission code to when a request last needed it. */
    permission_uses: JsonWithDefault<Record<string, string>>
    uses_recorded_since: Generated<Instant>
    expires_at: Instant | null
    needs_review_since: Instant | null
  }
  api_key_lookups: { lookup_hash: Buffer; organization_id: string; api_key_id: string }
  enrollment_secret_lookups: { lookup_hash: Buffer; organization_id: string; enrollment_secret_id: string }
  companion_keys: {
    organization_id: string
    kid: string
    public_jwk: Json<CompanionJwk>
    status: 'linking' | 'linked'
    device_id: string | null
    is_bundled: boolean
    hardware_uuid: string | null
    serial: string | null
    hostname: string
    platform: string
    agent_version: string
    link_name: string | null
    linked_at: Instant | null
    port: number | null
    /** The network that its last check-in came from. */
    network: string | null
    epoch: string
    previous_epoch: string | null
    epoch_at: Instant
    enrolled_at: Instant
    last_contact_at: Instant
    nonce: string
    taken_ports: WithDefault<number[]>
    linked_by: 'file' | 'node_key' | null
    seen_twice_at: Instant | null
    /** When a proof by the key was last accepted. */
    last_proved_at: Instant | null
    /** Until when all epochs count of a key that was seen twice; null before, and once a link check has decided. */
    contest_ends_at: Instant | null
    /** Of a second companion with this key; null where there is none. */
    rival_epoch: string | null
    rival_since: Instant | null
    rival_link_name: string | null
    /** When the device's node has last confirmed the link. */
    confirmed_at: Instant | null
    /** What it enrolled with last; null for keys of before this was kept. */
    enrollment_secret_id: string | null
  }
  companion_challenges: {
    organization_id: string
    sid: string
    nonce_hash: Buffer
    challenge_hash: Buffer
    given_at: Instant
  }
  signin_connections: {
    organization_id: string
    id: Id
    name: string
    client_id: string
    sealed_client_secret: Buffer | null
    redirect_uris: string[]
    /** Where it leads people back to when it signs them out. */
    post_logout_redirect_uris: WithDefault<string[]>
    requires_pkce: WithDefault<boolean>
    request_keys: Json<Record<string, string>[]> | null
    is_browser_managed: WithDefault<boolean>
    wait_seconds: WithDefault<number>
    start_url: string | null
    mode: WithDefault<'enforce' | 'observe' | 'disabled'>
    paused_until: Instant | null
    pause_reason: string | null
    created_at: Instant
    upstream_id: string | null
    /** Person groups. One may have been deleted since. */
    group_ids: WithDefault<string[]>
    kind: 'second_step' | 'application' | 'entra'
    /** Where the caller publishes them. */
    request_keys_url: string | null
    request_algorithm: 'RS256' | 'PS256' | 'ES256' | null
    entra_cloud: 'global' | 'us_government' | 'china' | null
    entra_tenant_ids: string[] | null
    entra_app_id: string | null
  }
  signin_upstreams: {
    organization_id: string
    id: Id
    name: string
    provider: 'google' | 'entra' | 'okta' | 'keycloak' | 'authentik' | 'zitadel' | 'auth0' | 'oidc'
    issuer: string
    client_id: string
    sealed_client_secret: Buffer
    tenant_claim: string | null
    tenant_value: string | null
    email_domains: WithDefault<string[]>
    creates_people: WithDefault<boolean>
    /** Our own address for it is registered there. */
    signs_out: WithDefault<boolean>
    authorization_endpoint: string
    end_session_endpoint: string | null
    created_at: Instant
  }
  signin_refusals: { organization_id: string; connection_id: string; reason: RequestRefusal; refused_at: Instant }
  bypass_codes: {
    organization_id: string
    id: Id
    connection_id: string
    person_id: string
    code_hash: Buffer
    reason: string
    made_by: string
    created_at: Instant
    expires_at: Instant
    used_at: Instant | null
    withdrawn_at: Instant | null
  }
  bypass_attempts: { organization_id: string; person_id: string; started_at: Instant; tries: number }
  signin_sessions: {
    organization_id: string
    id: string
    connection_id: string
    interaction_uid: string
    cookie_hash: Buffer
    network: string
    is_known_browser: WithDefault<boolean>
    ip_address: string
    user_agent: string
    evidence: 'asserted' | 'none'
    subject: string | null
    subject_id: string | null
    subject_issuer: string | null
    entra_request: Json<EntraRequest> | null
    interaction: Json<object> | null
    state: SessionState
    revision: WithDefault<number>
    /** Devices of which none can be the one: identifiers. */
    answered_devices: JsonWithDefault<readonly string[]>
    people_count: number | null
    person_id: string | null
    device_id: string | null
    auth_log_id: string | null
    detection_failure: DetectionReason | null
    detection_failures: WithDefault<number>
    detection_failed_at: Instant | null
    evaluating_since: Instant | null
    rechecked_at: Instant | null
    recheck_ended_at: Instant | null
    recheck_checks: WithDefault<number>
    recheck_issues: WithDefault<string[]>
    is_loop_waived: WithDefault<boolean>
    bypass_code_id: string | null
    bypass_reason: string | null
    bypass_ends_at: Instant | null
    answered_at: Instant | null
    started_at: Instant
    last_event_at: Instant
    waits_until: Instant
    leg_hash: Buffer | null
    upstream: Json<UpstreamPart> | null
    /** An administrator tries the connection. */
    is_test: WithDefault<boolean>
    oauth_error: string | null
    /** How far the clock of its caller was ahead, as a signed request says; negative where it was behind. */
    caller_ahead_ms: number | null
    /** The tab of its browser, by what the page calls it. */
    tab: string | null
  }
  signin_requests_seen: { organization_id: string; connection_id: string; request_hash: Buffer; seen_at: Instant }
  person_identities: {
    organization_id: string
    connection_id: string
    issuer: string
    subject: string
    person_id: string
    bound_at: Instant
  }
  signin_subjects: { organization_id: string; person_id: string; subject: string }
  signin_warnings: { organization_id: string; device_id: string; shown_at: Instant }
  oidc_records: {
    organization_id: string
    kind: string
    id: string
    payload: Json<Record<string, unknown>>
    grant_id: string | null
    consumed_at: Instant | null
    expires_at: Instant
  }
  companion_key_lookups: { kid: string; organization_id: string }
  node_key_lookups: {
    lookup_hash: Buffer
    organization_id: string
    device_id: string
    /** Until when the node has time to be confirmed by the device's companion; null of a node in service. */
    unconfirmed_until: Instant | null
    enrollment: Json<UnconfirmedEnrollment> | null
  }
  rate_limit_windows: { organization_id: string; api_key_id: string; started_at: Instant; used: number }
  checks: {
    organization_id: string
    id: Id
    slug: string
    name: string
    type: 'osquery' | 'custom' | 'external'
    is_provided: boolean
    platforms: string[]
    description: string
    topics: WithDefault<string[]>
    sql_template: string | null
    option_definitions: JsonWithDefault<Record<string, unknown>>
    primary_key_column: string | null
    issue_title: string
    rationale_template: string
    fix_instructions_template: string
    interval_seconds: WithDefault<number>
    created_at: Instant
    target_type: WithDefault<'devices' | 'people'>
    template_data_examples: WithDefault<string>
    privacy_info: WithDefault<string>
    privacy_center_example_data: WithDefault<string>
    deletion_requested_at: Instant | null
    /** Of the catalogue's check that it was made from. */
    edition: WithDefault<number>
  }
  custom_check_drafts: {
    organization_id: string
    id: Id
    slug: string
    name: string
    description: string
    check_type: 'osquery' | 'external'
    target_type: 'devices' | 'people'
    platforms: string[]
    interval_seconds: number
    osquery_sql: string
    option_definitions: Json<Record<string, unknown>>
    requires_primary_key: boolean
    primary_key_column: string
    issue_title: string
    rationale_template: string
    fix_instructions_template: string
    template_data_examples: string
    privacy_info: string
    privacy_center_example_data: string
    osquery_sql_status: SectionStatus
    notification_templates_status: SectionStatus
    details_status: SectionStatus
    privacy_center_details_status: SectionStatus
    judgement: string | null
    custom_check_id: string | null
    published_at: Instant | null
    created_at: Instant
    updated_at: Instant
  }
  check_tags: {
    organization_id: string
    id: Id
    name: string
    description: string | null
    color: string | null
  }
  check_tag_assignments: { organization_id: string; check_id: string; check_tag_id: string }
  check_configurations: {
    organization_id: string
    check_id: string
    id: Id
    options: JsonWithDefault<Record<string, unknown>>
    custom_rationale_template: string | null
    custom_fix_instructions_template: string | null
    paused_at: Instant | null
    paused_by: string | null
    revision: WithDefault<string>
    query_revision: WithDefault<string>
    /** Of the query that an upgrade of Muster brought last. */
    upgraded_query_revision: string | null
    query_upgraded_at: Instant | null
    remediation_strategy: WithDefault<'block_immediately' | 'warn_then_block' | 'notify_only' | 'report_only'>
    block_auth_grace_period_days: WithDefault<number>
    auth_check_run_shelf_life_seconds: WithDefault<number>
    begins_blocking_on: Instant | null
    snooze_disallowed: WithDefault<boolean>
    exemptions_disallowed: WithDefault<boolean>
    targeted_groups: WithDefault<string[]>
    excluded_groups: WithDefault<string[]>
    blocking_allowed_groups: WithDefault<string[]>
    blocking_excluded_groups: WithDefault<string[]>
    updated_at: Instant
  }
  check_results: {
    organization_id: string
    device_id: string
    check_id: string
    status: StoredStatus
    rows: JsonWithDefault<Record<string, string>[]>
    rows_digest: Buffer | null
    error_message: string | null
    query_revision: string | null
    ran_at: Instant | null
    exempted_at: Instant | null
    exemption_reason: string | null
    exemption_expires_at: Instant | null
    snoozed_at: Instant | null
    snoozed_until: Instant | null
    /** What the status of an exempted check would be. */
    in_scope_status: Exclude<StoredStatus, 'out_of_scope'> | null
    /** What it was before the first answer to the query that an upgrade brought. */
    status_before_upgrade: StoredStatus | null
    needs_osquery: string | null
  }
  check_tallies: {
    organization_id: string
    check_id: string
    shard: number
    /** The sum of those below. */
    counted: number
    passing: number
    failing: Generated<number>
    errored: Generated<number>
    unknown: Generated<number>
    stale: Generated<number>
    pending: Generated<number>
  }
  console_preferences: {
    organization_id: string
    admin_user_id: string
    single_keys: boolean
    device_columns: string[] | null
  }
  saved_views: {
    organization_id: string
    id: Id
    admin_user_id: string | null
    is_shared: boolean
    page: string
    name: string
    filters: string
    created_at: Instant
  }
  check_days: {
    organization_id: string
    check_id: string
    day: string
    counted: number
    passing: number
    failing: number | null
  }
  compliance_days: {
    organization_id: string
    day: string
    blocked: number
    will_block: number
    notified: number
    good: number
    stale: number
    never: number
  }
  device_standings: {
    organization_id: string
    device_id: string
    from_day: string
    until_day: WithDefault<string>
    standing: string
  }
  check_refreshes: { organization_id: string; device_id: string; check_id: string; requested_at: Instant }
  issues: {
    organization_id: string
    id: Id
    device_id: string
    check_id: string
    issue_key: string | null
    issue_value: string | null
    title: string
    value: Json<Record<string, string>>
    exempted: WithDefault<boolean>
    detected_at: Instant
    resolved_at: Instant | null
    last_rechecked_at: Instant
    blocking_since: Instant | null
    blocks_device_at: Instant | null
    /** Whether it is exempted, at least also, because someone asked for it. */
    exempted_on_request: WithDefault<boolean>
    /** The hold that its block waits under, or was discarded with. */
    hold_id: string | null
    /** Whether the owner was told of it before it blocked the device, or would have. */
    told_before_block: WithDefault<boolean>
  }
  block_holds: {
    organization_id: string
    id: Id
    check_id: string
    began_at: Instant
    /** Null: from before blocks were counted by owner, or it began with an upgrade alone. */
    owner_limit: number | null
    /** Of the query that an upgrade brought: first answers to it wait under the hold. Null: it began with many at once. */
    upgraded_query_revision: string | null
    /** Devices whose blocks of the hour before it took back. */
    taken_back: WithDefault<number>
    decision: 'released' | 'discarded' | 'ended' | null
    decided_at: Instant | null
    decided_by: string | null
  }
  sudden_blocks: {
    organization_id: string
    check_id: string
    device_id: string
    blocked_at: Instant
    hold_id: string | null
  }
  exemption_requests: {
    organization_id: string
    id: Id
    device_id: string
    person_id: string
    status: WithDefault<'open' | 'withdrawn' | 'approved' | 'denied'>
    requester_message: string
    requested_at: Instant
    decided_at: Instant | null
    internal_explanation: string | null
    denial_explanation: string | null
  }
  exemption_request_issues: { organization_id: string; exemption_request_id: string; issue_id: string }
  registration_requests: {
    organization_id: string
    id: Id
    device_id: string
    person_id: string
    status: WithDefault<'pending' | 'approved' | 'denied'>
    requester_message: string
    requested_at: Instant
    decided_at: Instant | null
    internal_note: string | null
    end_user_denial_note: string | null
    evidence: Json<RegistrationEvidence> | null
    withdrawn_at: Instant | null
  }
  check_recomputations: {
    organization_id: string
    check_id: string
    scope: 'open_issues' | 'all_devices'
    requested_at: Instant
    last_device_id: WithDefault<string>
    settled_devices: WithDefault<number>
    finished_at: Instant | null
    /** Whether the configuration before told owners of issues; null where it told them as it does now. */
    told_before: boolean | null
    /** Null where it was asked for before causes were kept. */
    cause: string | null
    request_id: string | null
    earlier_causes: WithDefault<string[]>
  }
  live_query_campaigns: {
    organization_id: string
    id: Id
    name: string
    osquery_sql: string
    tables_used: string[]
    published: boolean
    revision: WithDefault<number>
    targeted_device_ids: string[]
    targeted_platforms: TargetedPlatform[]
    created_at: Instant
    started_at: Instant
    waits_until: Instant | null
    results_dropped_at: Instant | null
  }
  live_query_targets: {
    organization_id: string
    campaign_id: string
    device_id: string
    revision: number
    status: LiveQueryStatus
  }
  live_query_results: {
    organization_id: string
    id: Id
    campaign_id: string
    device_id: string
    revision: number
    row_count: number
    error_message: string | null
    warning_message: string | null
    rows: Json<Record<string, string>[]>
    rows_in_parts: WithDefault<number>
  }
  live_query_result_parts: {
    organization_id: string
    result_id: string
    first_row: number
    rows: Json<Record<string, string>[]>
  }
  live_query_tallies: {
    organization_id: string
    campaign_id: string
    shard: number
    waiting: number
    successful: number
    errored: number
    part_characters: WithDefault<string>
  }
  agent_notices: {
    organization_id: string
    id: Id
    device_id: string | null
    transaction: Generated<string>
    created_at: Instant
  }
  audit_heads: { organization_id: string; last_id: string; last_hash: Buffer }
  audit_verifications: {
    organization_id: string
    verified_at: Instant
    entries_count: string
    last_id: string
    fault: string | null
    faulty_id: string | null
  }
  audit_logs: {
    organization_id: string
    id: Id
    timestamp: Instant
    actor_type: 'User' | 'ApiKey' | 'System' | 'Person'
    actor_id: string | null
    actor_name: string
    actor_email: string | null
    ip_address: string | null
    description: string
    about: string[] | null
    action: string | null
    changes: Json<readonly AuditChange[]> | null
    /** Null in entries from before causes were kept. */
    cause: string | null
    request_id: string | null
    previous_hash: Buffer
    hash: Buffer
  }
  events: {
    organization_id: string
    id: Id
    type: string
    device_id: string | null
    cause: string
    data: Json<Record<string, unknown>>
    occurred_at: Instant
  }
  auth_logs: {
    organization_id: string
    id: Id
    started_at: Instant
    result: WithDefault<'Success' | 'Fail'>
    initial_status: 'all_good' | 'will_block' | 'blocked' | 'unknown'
    person_id: string | null
    person_name: string
    person_email: string
    device_id: string | null
    device_name: string | null
    agent_version: string | null
    ip_address: string
    country: string | null
    city: string | null
    browser_name: string
    browser_version: string
    browser_user_agent: string
    application_id: string
    application_name: string
    connection_id: string | null
    failure_reason: SignInReason | null
  }
  auth_log_open_sessions: {
    organization_id: string
    auth_log_id: string
    touched_at: Instant
    events_count: WithDefault<number>
    issues_count: WithDefault<number>
    reason: SignInReason | null
  }
  auth_log_events: {
    organization_id: string
    auth_log_id: string
    position: number
    type: AuthLogEventType
    description: string
    occurred_at: Instant
  }
  auth_log_issues: {
    organization_id: string
    auth_log_id: string
    issue_id: string
    position: number
    title: string
    blocking_status: 'blocked' | 'will_block'
  }
  admin_users: {
    organization_id: string
    id: Id
    first_name: string
    last_name: string
    email: string
    access: 'full' | 'limited' | 'billing_only'
    restrictions: WithDefault<string[]>
    created_at: Instant
    is_duplicate: WithDefault<boolean>
  }
  admin_credentials: {
    organization_id: string
    admin_user_id: string
    password_hash: string | null
    password_changed_at: Instant | null
    sealed_totp_secret: Buffer | null
    totp_enabled_at: Instant | null
    totp_last_step: string | null
  }
  admin_recovery_codes: { organization_id: string; admin_user_id: string; code_hash: Buffer }
  admin_passkeys: {
    organization_id: string
    id: Id
    admin_user_id: string
    name: string
    credential_id: string
    public_key: Buffer
    sign_count: string
    transports: string[]
    is_synced: boolean
    created_at: Instant
    last_used_at: Instant | null
  }
  admin_passkey_lookups: { lookup_hash: Buffer; organization_id: string; admin_passkey_id: string }
  used_passkey_challenges: { challenge_hash: Buffer; expires_at: Instant }
  admin_identities: {
    organization_id: string
    admin_user_id: string
    issuer: string
    subject: string
    created_at: Instant
  }
  admin_links: {
    organization_id: string
    id: Id
    purpose: AdminLinkPurpose
    admin_user_id: string | null
    created_at: Instant
    expires_at: Instant
    used_at: Instant | null
  }
  admin_link_lookups: { lookup_hash: Buffer; organization_id: string; admin_link_id: string }
  admin_sessions: {
    organization_id: string
    id: Id
    admin_user_id: string
    method: SignInMethod
    ip_address: string
    user_agent: string | null
    created_at: Instant
    last_seen_at: Instant
    verified_at: Instant
    ended_at: Instant | null
  }
  admin_session_lookups: { lookup_hash: Buffer; organization_id: string; admin_session_id: string }
  admin_session_windows: { organization_id: string; admin_session_id: string; started_at: Instant; used: number }
  sign_in_throttles: {
    subject_hash: Buffer
    account_hash: Buffer | null
    failures: number
    last_failed_at: Instant
    closed_until: Instant
  }
  packages: {
    organization_id: string
    id: Id
    agent: 'osquery' | 'muster_companion' | 'muster_agent'
    platform: 'darwin' | 'linux' | 'windows'
    format: 'deb' | 'tar.gz' | 'pkg' | 'sh' | 'ps1'
    architecture: WithDefault<'any' | 'x64' | 'arm64'>
    product_version: string
    build: number
    base_url: string
    ca_certificate: string | null
    enrollment_secret_id: string
    built_at: Instant
    node_version: string | null
    /** Of a runtime that was added, or of all that a script fetches one of; null for the server's own Node, and for none. */
    node_sha256: string | null
    fetches: WithDefault<string[]>
  }
  package_runtimes: {
    system: 'linux-x64' | 'linux-arm64' | 'darwin-arm64' | 'darwin-x64' | 'win-x64' | 'win-arm64'
    node_version: string
    source: 'npm' | 'file'
    sha256: string
    md5: string
    size: number
    needs_libatomic: boolean
    lowest_macos: string | null
    license: string | null
    packed_sha256: string
    packed_size: number
    added_at: Instant
  }
  package_runtime_pieces: { system: string; number: number; bytes: Buffer }
  package_parts: { sha256: string; number: number; bytes: Buffer }
  reporting_queries: {
    organization_id: string
    id: Id
    name: string
    sql: string
    revision: WithDefault<string>
    interval_seconds: WithDefault<number>
    created_at: Instant
    next_run_at: Instant
    last_run_id: WithDefault<string>
    run_id: string | null
    ran_at: Instant | null
    column_names: WithDefault<string[]>
    result_count: WithDefault<number>
    is_truncated: WithDefault<boolean>
    error_message: string | null
    failed_at: Instant | null
    run_requested_at: Instant | null
    run_claimed_at: Instant | null
    run_claimed_until: Instant | null
  }
  reporting_query_runs: {
    organization_id: string
    query_id: string
    run_id: string
    row_count: number
    slice_ends: number[]
    digest: Buffer
    content: Buffer
  }
  scim_tokens: {
    organization_id: string
    id: Id
    name: string
    created_at: Instant
    last_used_at: Instant | null
    revoked_at: Instant | null
  }
  scim_token_lookups: { lookup_hash: Buffer; organization_id: string; scim_token_id: string }
  scim_rate_windows: { organization_id: string; scim_token_id: string; started_at: Instant; used: number }
  scim_users: {
    organization_id: string
    person_id: string
    user_name: string
    external_id: string | null
    emails: WithDefault<string[]>
    attributes: Json<Record<string, unknown>>
    revision: WithDefault<string>
    created_at: Instant
    updated_at: Instant
    deleted_at: Instant | null
    is_duplicate: WithDefault<boolean>
  }
  scim_groups: {
    organization_id: string
    person_group_id: string
    display_name: string
    external_id: string | null
    revision: WithDefault<string>
    created_at: Instant
    updated_at: Instant
    is_duplicate: WithDefault<boolean>
  }
  signing_keys: {
    kid: string
    sealed_private_key: Buffer
    public_jwk: Json<PublicJwk>
    created_at: Instant
    active_from: Instant
    retired_at: Instant | null
    organization_id: string
    purpose: KeyPurpose
    withdrawn_at: Instant | null
    certificate: Buffer | null
  }
  ssf_streams: {
    organization_id: string
    id: Id
    stream_id: string
    name: string
    description: string | null
    spec_version: 'v1_0' | 'draft'
    delivery_type: 'push' | 'poll'
    audience: string | null
    endpoint_url: string | null
    sealed_authorization_header: Buffer | null
    events_requested: string[]
    status: WithDefault<'enabled' | 'paused' | 'disabled'>
    status_reason: string | null
    needs_no_poll_token: WithDefault<boolean>
    created_at: Instant
    updated_at: Instant
    deleted_at: Instant | null
    created_by_key_id: string | null
    issuer: WithDefault<string>
    moved_at: Instant | null
    resigned_at: Instant | null
    device_subject_format: WithDefault<'iss_sub' | 'opaque'>
    token_settings_id: number | null
  }
  ssf_token_settings: {
    organization_id: string
    stream_id: string
    id: number
    issuer: string
    audience: string
    spec_version: 'v1_0' | 'draft'
    device_subject_format: 'iss_sub' | 'opaque'
  }
  write_probes: {
    filler: string
  }
  worker_heartbeats: {
    worker_id: string
    started_at: Instant
    beat_at: Instant
  }
  ssf_stream_deliveries: {
    organization_id: string
    stream_id: string
    last_sequence: WithDefault<string>
    leased_by: string | null
    leased_until: Instant | null
    held_until: Instant | null
    failures: WithDefault<number>
    failing_since: Instant | null
    last_error: string | null
    last_delivered_at: Instant | null
  }
  ssf_poll_tokens: {
    organization_id: string
    stream_id: string
    lookup_hash: Buffer
    created_at: Instant
    valid_until: Instant | null
  }
  ssf_poll_token_lookups: { lookup_hash: Buffer; organization_id: string; stream_id: string }
  ssf_poll_windows: { organization_id: string; stream_id: string; started_at: Instant; used: number }
  ssf_poll_holds: {
    organization_id: string
    stream_id: string
    place: number
    holder: string
    expires_at: Instant
  }
  ssf_signals: {
    organization_id: string
    id: Id
    kind: 'compliance_change' | 'verification' | 'stream_updated' | 'test'
    device_id: string | null
    user_email: string | null
    event: Json<Record<string, unknown>>
    txn: string
    occurred_at: Instant
  }
  ssf_stream_events: {
    organization_id: string
    stream_id: string
    id: Id
    signal_id: string
    kind: WithDefault<'compliance_change' | 'verification' | 'stream_updated' | 'test'>
    sequence: string | null
    jti: Generated<string>
    device_id: string | null
    state: WithDefault<'pending' | 'delivered' | 'acknowledged' | 'rejected' | 'expired'>
    token: string | null
    issued_at: Instant | null
    attempts: WithDefault<number>
    held_until: Instant | null
    settled_at: Instant | null
    error_code: string | null
    error_description: string | null
    queued_at: Instant
    replayed_at: Instant | null
    token_settings_id: number | null
    kid: string | null
  }
  ssf_purged_devices: { organization_id: string; device_id: string; purged_at: Instant }
  ssf_attempts: {
    organization_id: string
    stream_id: string
    event_id: string
    id: Id
    attempted_at: Instant
    duration_ms: number
    status: number | null
    error: string | null
  }
  webhook_endpoints: {
    organization_id: string
    id: Id
    identifier: string
    url: string
    description: string | null
    events: string[]
    sealed_headers: Buffer | null
    sealed_secret: Buffer
    sealed_previous_secret: Buffer | null
    previous_secret_until: Instant | null
    disabled_at: Instant | null
    disabled_reason: 'by_admin' | 'gone' | 'failing' | null
    created_at: Instant
    updated_at: Instant
    deleted_at: Instant | null
  }
  webhook_standings: {
    organization_id: string
    endpoint_id: string
    leased_by: string | null
    leased_until: Instant | null
    failing_since: Instant | null
    last_error: string | null
    last_delivered_at: Instant | null
    probe_at: Instant | null
  }
  webhook_messages: {
    organization_id: string
    id: Id
    message_id: string
    event: string
    body: string
    device_id: string | null
    occurred_at: Instant
  }
  webhook_deliveries: {
    organization_id: string
    endpoint_id: string
    id: Id
    message_id: string
    event: string
    device_id: string | null
    ordered_by: string | null
    state: WithDefault<'pending' | 'delivered' | 'failed'>
    attempts: WithDefault<number>
    next_attempt_at: Instant | null
    queued_at: Instant
    settled_at: Instant | null
    last_status: number | null
    last_error: string | null
    resent_from: string | null
    extra_attempts: WithDefault<number>
    attempted_at: Instant | null
    request_headers: Json<Record<string, string>> | null
    response: string | null
    dns_ms: number | null
    connect_ms: number | null
    tls_ms: number | null
    first_byte_ms: number | null
    total_ms: number | null
  }
  /** A view of all attempts, wherever they are stored; the one without an id is the last. */
  webhook_attempt_log: {
    organization_id: string
    endpoint_id: string
    delivery_id: string
    id: string | null
    attempted_at: Instant
    request_headers: Record<string, string>
    status: number | null
    error: string | null
    response: string | null
    dns_ms: number
    connect_ms: number
    tls_ms: number
    first_byte_ms: number
    total_ms: number
  }
  webhook_attempts: {
    organization_id: string
    endpoint_id: string
    delivery_id: string
    id: Id
    attempted_at: Instant
    request_headers: Json<Record<string, string>>
    status: number | null
    error: string | null
    response: string | null
    dns_ms: number
    connect_ms: number
    tls_ms: number
    first_byte_ms: number
    total_ms: number
  }
}
