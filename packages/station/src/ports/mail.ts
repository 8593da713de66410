/** An e-mail to everybody who is to be told. */
export interface Mail {
  /** The same text for the same e-mail sent again, from which its `Message-ID` is made. */
  key: string
  subject: string
  text: string
}

/** The mail server that the operator named. */
export interface Mailer {
  /** Hands an e-mail over, within a minute. @throws Error when the server is away or refuses it, without secrets. */
  send(mail: Mail): Promise<void>
}
