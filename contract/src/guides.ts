/** The documentation that the server shows at `/docs/guides/<name>`: the files of docs/, and README.md as `readme`. */
export const guideGroups = [
  {
    title: 'Start',
    guides: {
      readme: 'What Muster is',
      'getting-started': 'Getting started',
      console: 'The admin console',
      permissions: 'Permissions',
    },
  },
  {
    title: 'Checks and people',
    guides: {
      checks: 'Checks and blocking',
      'custom-checks': 'Custom checks',
      requests: 'Exemptions and registrations',
      'sign-in': 'Signing in',
      'sign-in-entra': 'Microsoft Entra, external MFA',
      'sign-in-entra-upstream': 'Microsoft Entra first',
      'sign-in-okta': 'Okta first',
      'sign-in-okta-posture': 'Okta, device posture',
      'sign-in-google-workspace': 'Google Workspace',
      'sign-in-keycloak': 'Keycloak',
      'sign-in-authentik': 'authentik',
      'sign-in-openid-connect': 'Zitadel, Auth0 and others',
      'sign-in-applications': 'What your application needs',
      'sign-in-managed-browsers': 'Managed browsers',
      'auth-logs': 'Sign-in logs',
      scim: 'Provision people with SCIM',
    },
  },
  {
    title: 'Devices',
    guides: {
      owners: 'Owners of devices',
      packages: 'Installation packages',
      osquery: 'Connect osquery',
      agent: 'The bundled agent',
      'companion-macos': 'The companion on macOS',
      'companion-protocol': 'The companion protocol',
      simulator: 'The simulator',
    },
  },
  {
    title: 'Questions and reports',
    guides: {
      'live-queries': 'Live queries',
      reporting: 'Reporting tables',
      'reporting-queries': 'Reporting queries',
    },
  },
  {
    title: 'Integrations',
    guides: {
      api: 'The API',
      streams: 'Shared Signals streams',
      'connect-a-receiver': 'Connect a receiver',
      webhooks: 'Webhooks',
      conformance: 'Conformance',
      'console-api': 'The console’s API',
    },
  },
  {
    title: 'Operations',
    guides: {
      choose: 'Choose how to run it',
      production: 'Production',
      containers: 'Containers',
      debian: 'Debian package',
      configuration: 'Configuration',
      operating: 'Run Muster',
      metrics: 'Metrics and alerts',
      'audit-log': 'The audit log',
      scaling: 'Scaling',
      security: 'Security',
    },
  },
] as const

type Names<Group> = Group extends { guides: infer Guides } ? keyof Guides : never
export type GuideName = Names<(typeof guideGroups)[number]>

export const guidePath = (name: GuideName): string => `/docs/guides/${name}`
