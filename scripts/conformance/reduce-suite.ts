/** MongoDB in memory, in which the suite keeps its plans and logs. */
const mongo = `<dependency>
  <groupId>de.bwaldvogel</groupId>
  <artifactId>mongo-java-server</artifactId>
  <version>1.47.0</version>
</dependency>`

/**
 * The suite's pom.xml without the library of its tests of wallets, which Maven Central does not have, and with a database.
 */
export function reducePom(pom: string): string {
  const reduced = pom.replaceAll(/<dependency>.*?<\/dependency>/gs, (dependency) =>
    dependency.includes('<groupId>org.multipaz</groupId>') ? '' : dependency,
  )
  // The last ones are those of dependencyManagement; the first ones are what the suite depends on.
  return reduced.replace('</dependencies>', `${mongo}</dependencies>`)
}

const found = ['Component', 'Configuration', 'Controller', 'ControllerAdvice', 'RestController', 'RestControllerAdvice']
const annotation = new RegExp(`@(${[...found, 'Repository', 'Service', 'SpringBootApplication'].join('|')})\\b`)

/** The tests of Shared Signals, and those of an OpenID provider, which lie beside folders with tests of others. */
const tests = /\/conformance\/openid\/(ssf\/.+|[^/]+\.java)$/

/** Whether a source has to be named to the compiler: nothing else refers to it, as it is found by what it is. */
export const isNeeded = (path: string, text: string): boolean =>
  tests.test(path.replaceAll('\\', '/')) || annotation.test(text)
