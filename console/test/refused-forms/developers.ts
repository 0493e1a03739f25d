import { page } from '../signed-in.ts'
import { button, choose, dialog, type Form, fill } from './form.ts'

const streams: readonly Form[] = ['push', 'poll', 'Okta'].map((kind) => ({
  what: `a new stream, ${kind}`,
  of: 'streams/new-stream-page.tsx',
  path: '/settings/developers/streams/new',
  operation: 'createSsfStream',
  send: async () => {
    if (kind === 'Okta') {
      await page.getByRole('radio', { name: /^Okta/ }).check()
      await fill(/^Address of your Okta/, 'https://acme.okta.com')
    } else await page.getByRole('radio', { name: new RegExp(`^${kind}`, 'i') }).check()
    await button('Create the stream').click()
  },
}))

const stream: readonly Form[] = [
  {
    what: 'a changed stream',
    of: 'streams/stream-settings-page.tsx',
    path: '/settings/developers/streams/$streamId/settings',
    operation: 'updateSsfStream',
    send: async () => {
      await fill('Name', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'another token to poll with',
    of: 'streams/poll-tokens.tsx',
    path: '/settings/developers/streams/$streamId/keys',
    operation: 'rotateSsfPollToken',
    send: () => button('Rotate the token').click(),
  },
  {
    what: 'no token to poll with',
    of: 'streams/poll-tokens.tsx',
    path: '/settings/developers/streams/$streamId/keys',
    operation: 'rotateSsfPollToken',
    send: async () => {
      await page.getByRole('radio', { name: /^Disable/ }).check()
      await button('Disable polling…').click()
      await button('Disable polling').click()
    },
  },
  {
    what: 'a test of a stream',
    of: 'streams/test-dialog.tsx',
    path: '/settings/developers/streams/$streamId',
    operation: 'testSsfStream',
    send: async () => {
      await choose('Send test…')
      await button('Send the test').click()
    },
  },
  {
    what: 'a replay',
    of: 'streams/replay-dialog.tsx',
    path: '/settings/developers/streams/$streamId',
    operation: 'replaySsfStreamEvents',
    reads: { countStreamReplay: () => ({ count: 3 }) },
    send: async () => {
      await choose('Replay from…')
      await button('Send 3 events again').click()
    },
  },
  {
    what: 'a pause of a stream',
    of: 'streams/status-dialog.tsx',
    path: '/settings/developers/streams/$streamId',
    operation: 'changeSsfStreamStatus',
    send: async () => {
      await choose('Pause…')
      await button('Pause the stream').click()
    },
  },
]

const webhooks: readonly Form[] = [
  {
    what: 'a new webhook',
    of: 'webhooks/new-webhook-page.tsx',
    path: '/settings/developers/webhooks/new',
    operation: 'createWebhookEndpoint',
    send: () => button('Create the webhook').click(),
  },
  {
    what: 'a changed webhook',
    of: 'webhooks/webhook-settings-page.tsx',
    path: '/settings/developers/webhooks/$endpointId/settings',
    operation: 'updateWebhookEndpoint',
    send: async () => {
      await fill('Description (optional)', 'Another')
      await button(/^Save/).click()
    },
  },
  {
    what: 'another secret of a webhook',
    of: 'webhooks/webhook-secret.tsx',
    path: '/settings/developers/webhooks/$endpointId/settings',
    operation: 'rollWebhookSecret',
    send: async () => {
      await button('Roll the secret…').click()
      await button('Roll the secret').click()
    },
  },
  {
    what: 'a test of a webhook',
    of: 'webhooks/test-dialog.tsx',
    path: '/settings/developers/webhooks/$endpointId',
    operation: 'testWebhookEndpoint',
    send: async () => {
      await choose('Send test…')
      await button('Send the test').click()
    },
  },
  {
    what: 'messages that are sent again',
    of: 'webhooks/resend-dialog.tsx',
    path: '/settings/developers/webhooks/$endpointId',
    operation: 'resendWebhookDeliveries',
    reads: { countWebhookResend: () => ({ count: 3 }) },
    send: async () => {
      await choose('Send again from…')
      await button('Send 3 messages again').click()
    },
  },
]

const keys: readonly Form[] = [
  {
    what: 'a new key',
    of: 'keys/new-key-page.tsx',
    path: '/settings/developers/keys/new',
    operation: 'createApiKey',
    send: async () => {
      await fill('Name', 'Export')
      await button('Create the key').click()
    },
  },
  {
    what: 'more permissions of a key',
    of: 'keys/key-permissions.tsx',
    path: '/settings/developers/keys/$keyId',
    operation: 'updateApiKeyPermissions',
    send: async () => {
      await button('Grant more…').click()
      await dialog().getByRole('checkbox').first().check()
      await button('Grant').click()
    },
  },
]

export const developerForms: readonly Form[] = [...streams, ...stream, ...webhooks, ...keys]
