//! The routes of the shop's API, and how a refusal becomes a status.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use serde::Deserialize;

use super::{
    books::{Books, Refused},
    page,
};
use crate::shop::model::{Order, Quote, Refund, RefundStatus, Return, Visit};

/// The books, shared by all requests.
#[derive(Debug, Clone)]
pub(super) struct Shared(Arc<Mutex<Books>>);

impl Shared {
    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Answer<T> = Result<Json<T>, Refused>;

pub(super) fn router() -> Router {
    Router::new()
        .route("/orders/{id}", get(order))
        .route("/quotes", post(add_quote))
        .route("/quotes/{id}", get(quote))
        .route("/refunds", post(add_refund))
        .route("/refunds/{id}", get(refund))
        .route("/refunds/{id}/confirm", post(confirm))
        .route("/refunds/{id}/cancel", post(cancel))
        .route("/refunds/{id}/pay", post(pay))
        .route("/returns", post(add_return))
        .route("/visits/{id}", put(visit))
        .route("/pay/{visit}", get(page::show).post(page::sign_in))
        .with_state(Shared(Arc::new(Mutex::new(Books::new()))))
}

async fn order(shop: State<Shared>, Path(id): Path<String>) -> Answer<Order> {
    Ok(Json(shop.books().order(&id)?.clone()))
}

#[derive(Deserialize)]
struct NewQuote {
    order_id: String,
    sku: Option<String>,
}

async fn add_quote(shop: State<Shared>, Json(new): Json<NewQuote>) -> Answer<Quote> {
    let quote = shop.books().add_quote(&new.order_id, new.sku.as_deref())?;
    Ok(Json(quote))
}

async fn quote(shop: State<Shared>, Path(id): Path<String>) -> Answer<Quote> {
    Ok(Json(shop.books().quote(&id)?.clone()))
}

#[derive(Deserialize)]
struct NewRefund {
    quote_id: String,
}

async fn add_refund(shop: State<Shared>, Json(new): Json<NewRefund>) -> Answer<Refund> {
    Ok(Json(shop.books().refund_quote(&new.quote_id)?))
}

async fn refund(shop: State<Shared>, Path(id): Path<String>) -> Answer<Refund> {
    Ok(Json(shop.books().refund(&id)?.clone()))
}

async fn confirm(shop: State<Shared>, Path(id): Path<String>) -> Answer<Refund> {
    let (from, to) = (RefundStatus::NeedsConfirmation, RefundStatus::Requested);
    Ok(Json(shop.books().advance(&id, from, to)?))
}

async fn cancel(shop: State<Shared>, Path(id): Path<String>) -> Answer<Refund> {
    let (from, to) = (RefundStatus::NeedsConfirmation, RefundStatus::Cancelled);
    Ok(Json(shop.books().advance(&id, from, to)?))
}

async fn pay(shop: State<Shared>, Path(id): Path<String>) -> Answer<Refund> {
    let (from, to) = (RefundStatus::Requested, RefundStatus::Paid);
    Ok(Json(shop.books().advance(&id, from, to)?))
}

async fn add_return(shop: State<Shared>, Json(parcel): Json<Return>) -> Answer<()> {
    Ok(Json(shop.books().add_return(parcel)?))
}

#[derive(Deserialize)]
struct Visitor {
    clerk: String,
}

async fn visit(
    shop: State<Shared>,
    Path(id): Path<String>,
    Json(visitor): Json<Visitor>,
) -> Answer<Visit> {
    Ok(Json(shop.books().visit(&id, &visitor.clerk)?))
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::NotFound(text) => (StatusCode::NOT_FOUND, text),
            Self::Conflict(text) => (StatusCode::CONFLICT, text),
            Self::WrongSignIn => (
                StatusCode::UNAUTHORIZED,
                "no clerk has this name and PIN".to_owned(),
            ),
            Self::SomebodyElse => (
                StatusCode::FORBIDDEN,
                "somebody else was asked to open this page".to_owned(),
            ),
        };
        (status, text).into_response()
    }
}
