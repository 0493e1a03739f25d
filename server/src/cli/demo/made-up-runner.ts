import { checkFixtures } from '@muster/agent/simulate/check-fixtures.ts'
import { type DeviceProfile, deviceProfile } from '@muster/agent/simulate/device-profile.ts'
import { modelsOf } from '@muster/agent/simulate/hardware-models.ts'
import { fillTemplate } from '@muster/agent/simulate/identity-template.ts'
import { releasesOf } from '@muster/agent/simulate/operating-systems.ts'
import { createQueryAnswers, type QueryAnswers } from '@muster/agent/simulate/query-answers.ts'
import { hashOfText } from '@muster/agent/simulate/seeded.ts'
import { noCost, type QueryRunner } from '@muster/agent/sql/query-runner.ts'
import { demoCheckFixture } from './demo-check.ts'
import type { MadeUpLaptop } from './demo-people.ts'

const seed = 5

/** The same every time, so that a laptop has one serial number in all demos. */
export function profileOf({ name, platform, ownerName, title }: MadeUpLaptop, index: number): DeviceProfile {
  const weights = { darwin: 0, windows: 0, linux: 0, [platform]: 1 }
  return {
    ...deviceProfile(seed, index, weights),
    hardware: modelsOf[platform][0],
    // Not every system has each check that the laptop fails.
    ...{ release: 0, operatingSystem: releasesOf[platform][0] },
    ownerName,
    username: (ownerName.split(' ')[0] ?? '').toLowerCase(),
    hostname: name,
    localHostname: name,
    computerName: platform === 'darwin' ? `${ownerName.split(' ')[0]}’s ${title}` : name,
  }
}

export const madeUpAnswers = (startedAtSeconds: number): QueryAnswers =>
  createQueryAnswers({ ...checkFixtures, ...demoCheckFixture }, startedAtSeconds)

/** Answers SQL as a laptop does that fails the checks in `broken`, and passes all others. */
export function madeUpRunner(answers: QueryAnswers, profile: DeviceProfile, broken: ReadonlySet<string>): QueryRunner {
  const rowsOf = (json: string) => ({
    ok: true as const,
    rows: JSON.parse(json) as Record<string, string>[],
    cost: noCost,
  })
  return {
    async run(sql) {
      const answer = answers.answerTo(sql, profile)
      if (answer.kind === 'fixed') {
        const message = JSON.parse(answer.messageJson) as string
        return message === '' ? rowsOf(fillTemplate(answer.rows, profile)) : { ok: false, message, cost: noCost }
      }
      const isBroken = [...broken].some((slug) => hashOfText(slug) === answer.subject)
      return rowsOf(fillTemplate(isBroken ? answer.failRows : answer.passRows, profile))
    },
    close: async () => {},
  }
}
