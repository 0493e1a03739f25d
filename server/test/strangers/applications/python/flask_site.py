"""An application in Flask that signs its people in by Authlib, set up as its documentation says."""

import json
import os
from urllib.parse import urlencode, urlsplit

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

site = json.loads(os.environ["SITE"])
app = Flask(__name__)
app.secret_key = "a secret of the application"
oauth = OAuth(app)
oauth.register(
    name="muster",
    client_id=site["clientId"],
    client_secret=site["clientSecret"],
    server_metadata_url=site["issuer"] + "/.well-known/openid-configuration",
    **site["settings"],
)


@app.get("/login")
def login():
    return oauth.muster.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = oauth.muster.authorize_access_token()
    session["token"] = token["id_token"]
    session["person"] = dict(oauth.muster.userinfo(token=token))
    return redirect("/me")


@app.get("/logout")
def logout():
    token = session.pop("token", None)
    session.pop("person", None)
    end = oauth.muster.load_server_metadata()["end_session_endpoint"]
    back = {"id_token_hint": token, "post_logout_redirect_uri": site["origin"] + "/me"}
    return redirect(end + "?" + urlencode(back))


@app.get("/me")
def me():
    return session.get("person") or "null"


app.run(host="127.0.0.1", port=urlsplit(site["origin"]).port)
