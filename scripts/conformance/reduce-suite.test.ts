import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNeeded, reducePom } from './reduce-suite.ts'

const dependency = (group: string) => `<dependency>
  <groupId>${group}</groupId>
  <artifactId>a</artifactId>
</dependency>`

test('the libraries lose the one that Maven Central does not have, and gain a database', () => {
  const pom = `<project><dependencies>${['com.a', 'org.multipaz', 'com.b'].map(dependency).join('\n')}</dependencies>
<dependencyManagement><dependencies>${dependency('com.c')}</dependencies></dependencyManagement></project>`
  const groups = [...reducePom(pom).matchAll(/<groupId>(.+)<\/groupId>/g)].map(([, group]) => group)
  assert.deepEqual(groups, ['com.a', 'com.b', 'de.bwaldvogel', 'com.c'])
})

test('what is compiled: the tests of Shared Signals and of OpenID providers, and what Spring looks for', () => {
  const root = '/suite/src/main/java/net/openid/conformance'
  assert.ok(isNeeded(`${root}/openid/ssf/SsfEvents.java`, 'class SsfEvents {}'))
  assert.ok(isNeeded(`${root}/openid/OIDCCBasicTestPlan.java`, '@PublishTestPlan\nclass OIDCCBasicTestPlan {}'))
  assert.ok(!isNeeded(`${root}/openid/federation/Entity.java`, 'class Entity {}'))
  assert.ok(isNeeded(`${root}/info/TestInfoApi.java`, '@RestController\nclass TestInfoApi {}'))
  assert.ok(!isNeeded(`${root}/vci10issuer/Wallet.java`, '@PublishTestModule\nclass Wallet {}'))
  assert.ok(!isNeeded(`${root}/util/A.java`, '// as a @ServiceOfOthers\nclass A {}'))
})
