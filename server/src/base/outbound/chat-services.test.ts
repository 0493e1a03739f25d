import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfChatService } from './chat-services.ts'

test('addresses where chat services take messages are named', () => {
  const cases: [url: string, name: string][] = [
    ['https://hooks.slack.com/services/T0/B0/xyz', 'Slack'],
    ['https://HOOKS.SLACK.COM:443/workflows/T0', 'Slack'],
    ['https://hooks.slack-gov.com/services/T0/B0/xyz', 'Slack'],
    ['https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', 'Microsoft Teams'],
    ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', 'Google Chat'],
    ['https://discord.com/api/webhooks/1/x', 'Discord'],
    ['https://discordapp.com/api/webhooks/1/x', 'Discord'],
    ['https://canary.discord.com/api/v10/webhooks/1/x', 'Discord'],
  ]
  for (const [url, name] of cases) {
    const fault = faultOfChatService(url) ?? ''
    assert.match(fault, new RegExp(`^${name} cannot read these requests: .* posts to ${name}\\.$`), url)
  }
})

test('other addresses are not, also where they look alike', () => {
  for (const url of [
    'https://hooks.example.com/slack',
    'https://hooks.slack.com.example.com/services/T0',
    'https://slack.com/api/chat.postMessage',
    'https://nothooks.slack.com/',
    'https://notwebhook.office.com/',
    'https://discord.com/developers',
    'https://prod-1.westeurope.logic.azure.com/workflows/1',
    'no address',
  ]) {
    assert.equal(faultOfChatService(url), undefined, url)
  }
})
