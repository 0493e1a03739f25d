// An application that signs its people in by one library, set up as its documentation says. Runs where the packages are installed.
import { createServer } from 'node:http'
import express from 'express'

const { program, origin, issuer, clientId, clientSecret, settings } = JSON.parse(process.env.SITE)
const app = express()
// Where the process is asked who has signed in.
const sayWho = (person) => (_request, response) => response.json(person ?? null)

const programs = {
  async 'express-openid-connect'() {
    const { auth } = await import('express-openid-connect')
    const client = { issuerBaseURL: issuer, baseURL: origin, clientID: clientId, clientSecret }
    app.use(auth({ ...client, secret: 'a secret of the application', authRequired: false, ...settings }))
    app.get('/me', (request, response) => sayWho(request.oidc.user)(request, response))
  },

  async 'passport-openidconnect'() {
    const { default: passport } = await import('passport')
    const { default: session } = await import('express-session')
    const { default: Strategy } = await import('passport-openidconnect')
    const found = await fetch(`${issuer}/.well-known/openid-configuration`)
    const document = await found.json()
    const client = { issuer, clientID: clientId, clientSecret, callbackURL: `${origin}/callback` }
    const {
      authorization_endpoint: authorizationURL,
      token_endpoint: tokenURL,
      userinfo_endpoint: userInfoURL,
    } = document
    const endpoints = { authorizationURL, tokenURL, userInfoURL }
    passport.use(
      new Strategy({ ...client, ...endpoints, ...settings }, (_issuer, profile, done) => done(null, profile)),
    )
    passport.serializeUser((person, done) => done(null, person))
    passport.deserializeUser((person, done) => done(null, person))
    app.use(session({ secret: 'a secret of the application', resave: false, saveUninitialized: false }))
    app.use(passport.session())
    app.get('/login', passport.authenticate('openidconnect'))
    const failed = { failureRedirect: '/failed', failureMessage: true }
    app.get('/callback', passport.authenticate('openidconnect', failed), (_request, response) =>
      response.redirect('/me'),
    )
    app.get('/failed', (request, response) => response.status(401).send(String(request.session.messages?.at(-1))))
    app.get('/logout', (request, response, next) => {
      request.logout((error) => (error ? next(error) : response.redirect('/me')))
    })
    app.get('/me', (request, response) => sayWho(request.user)(request, response))
  },

  async 'Auth.js'() {
    const { ExpressAuth, getSession } = await import('@auth/express')
    const muster = { id: 'muster', name: 'Muster', type: 'oidc', issuer, clientId, clientSecret, ...settings }
    const config = { providers: [muster], secret: 'a secret of the application', trustHost: true }
    app.use('/auth', ExpressAuth(config))
    app.get('/me', async (request, response) => sayWho((await getSession(request, config))?.user)(request, response))
  },
}

await programs[program]()
createServer(app).listen(new URL(origin).port, '127.0.0.1')
