// Shows the OpenAPI description. Nothing is fetched from, or sent to, anybody else: no validator badge.
const page = document.getElementById("api-docs");
SwaggerUIBundle({
  url: page.dataset.schema,
  domNode: page,
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
